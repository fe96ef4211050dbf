#!/bin/sh
# The least deadwood now: knocks as soon as it may, takes what lowers its count at once.

# value NAME: a member of the question into $value, as JSON has it: 12, true, "KC" with its quotes.
value() {
	value=${question#*"\"$1\":"}
	value=${value%%[,\}]*}
}

while IFS= read -r question; do
	value best_knock; knock=$value
	value best_discard; discard=$value
	value deadwood; deadwood=$value
	value deadwood_if_taken; taken=$value
	if [ "$knock" != null ]; then
		echo "{\"knock\":$knock}"
	elif [ "$discard" != null ]; then
		echo "{\"discard\":$discard}"
	elif [ "$taken" != null ] && [ "$taken" -lt "$deadwood" ]; then
		echo '{"take":true}'
	else
		echo '{"otherwise":true}'
	fi
done
