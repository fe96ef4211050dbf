# Answers by chance; the bridge, told to trace, writes what it is told.
use strict;
use warnings;
use Cpanel::JSON::XS;

# Every legal answer, in the order of the SDKs.
sub legal {
    my ($state, $line) = @_;
    return { lay_off => \1 } if $state->{phase} eq 'layoff';
    my @legal = map { $state->{"may_$_"} ? { $_ => \1 } : () } qw(decline take draw big_gin);
    for my $kind (qw(discard knock)) {
        my ($cards) = $line =~ /"${kind}s":\{(.*?)\}/;    # in their order, which a hash has not
        push @legal, map { { $kind => $_ } } $cards =~ /"(..)"/g;
    }
    return @legal;
}

$| = 1;
while (my $line = <STDIN>) {
    my $state = decode_json($line);
    my @legal = legal($state, $line);
    print encode_json($legal[ $state->{chance} % @legal ]), "\n";
}
