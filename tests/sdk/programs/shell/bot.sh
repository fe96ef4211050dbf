#!/bin/sh
# Answers by chance; the bridge, told to trace, writes what it is told.

# value NAME: a member of the question into $value, as JSON has it.
value() {
	value=${question#*"\"$1\":"}
	value=${value%%[,\}]*}
}

# cards NAME: for each card of a member that is an object, an answer.
cards() {
	found=${question#*"\"$1s\":{"}
	IFS=,
	for pair in ${found%%\}*}; do
		set -- "$@" "{\"$1\":${pair%%:*}}"
	done
	unset IFS
	shift
	answers="$answers $*"
}

while IFS= read -r question; do
	answers=
	for kind in decline take draw big_gin; do
		value "may_$kind"
		[ "$value" = false ] || answers="$answers {\"$kind\":true}"
	done
	cards discard
	cards knock
	value phase
	[ "$value" != '"layoff"' ] || answers='{"lay_off":true}'
	value chance
	set -- $answers
	shift $((value % $#))
	echo "$1"
done
