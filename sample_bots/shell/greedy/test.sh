#!/bin/sh
# What the bot answers to a few questions: sh test.sh, in this folder. Of a question only that is
# written down which the bot looks at.
failed=0

# asked WHAT_FOR QUESTION DUE
asked() {
	answer=$(echo "$2" | sh bot.sh)
	[ "$answer" = "$3" ] || { echo "$1: $answer, not $3" >&2; failed=1; }
}

asked "it knocks as soon as it may" \
	'{"deadwood":8,"deadwood_if_taken":null,"best_discard":"KC","best_knock":"QD"}' '{"knock":"QD"}'
asked "it keeps the least deadwood" \
	'{"deadwood":22,"deadwood_if_taken":null,"best_discard":"KC","best_knock":null}' '{"discard":"KC"}'
asked "it takes what lowers its count" \
	'{"deadwood":41,"deadwood_if_taken":31,"best_discard":null,"best_knock":null}' '{"take":true}'
asked "it leaves what does not" \
	'{"deadwood":41,"deadwood_if_taken":41,"best_discard":null,"best_knock":null}' '{"otherwise":true}'
[ $failed = 1 ] || echo "every answer is as it should be"
exit $failed
