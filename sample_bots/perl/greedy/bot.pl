# The least deadwood now: knocks as soon as it may, takes what lowers its count at once.
use strict;
use warnings;
use Cpanel::JSON::XS;    # or JSON::PP, which every Perl has: it does the same, slowly

# Knock if possible, else keep the hand with the least deadwood.
sub bot {
    my ($state) = @_;
    return { knock   => $state->{best_knock} }   if $state->{best_knock};
    return { discard => $state->{best_discard} } if $state->{best_discard};
    return { take    => \1 }
        if $state->{may_take} && $state->{deadwood_if_taken} < $state->{deadwood};
    return { otherwise => \1 };
}

sub play {
    $| = 1;    # each answer leaves at once
    while (my $question = <STDIN>) {
        print encode_json(bot(decode_json($question))), "\n";
    }
}

play() unless caller;
1;
