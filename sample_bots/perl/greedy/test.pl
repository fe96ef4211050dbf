# What the bot answers to a few questions: perl test.pl, in this folder. Of a question only that is
# written down which the bot looks at.
use strict;
use warnings;
use Cpanel::JSON::XS;
require './bot.pl';

my $failed = 0;

sub asked {
    my ($what_for, $question, $due) = @_;
    my $answer = encode_json(bot($question));
    return if $answer eq $due;
    warn "$what_for: $answer, not $due\n";
    $failed = 1;
}

asked('it knocks as soon as it may', { best_knock => 'QD', best_discard => 'KC' }, '{"knock":"QD"}');
asked('it keeps the least deadwood', { best_discard => 'KC' }, '{"discard":"KC"}');
my %draw = (may_take => 1, deadwood => 41);
asked('it takes what lowers its count', { %draw, deadwood_if_taken => 31 }, '{"take":true}');
asked('it leaves what does not', { %draw, deadwood_if_taken => 41 }, '{"otherwise":true}');
print "every answer is as it should be\n" unless $failed;
exit $failed;
