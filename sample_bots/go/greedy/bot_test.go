package main

import (
	"testing"

	"knockbox"
)

const (
	eleven = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S"
	ten    = "AC 2C 3C 5C 4D QD 4H 7S 8S KS"
)

// One question for each line of the bot.
func TestBot(t *testing.T) {
	cards := func(deadwood ...any) map[string]int {
		after := map[string]int{}
		for at := 0; at < len(deadwood); at += 2 {
			after[deadwood[at].(string)] = deadwood[at+1].(int)
		}
		return after
	}
	for name, test := range map[string]struct {
		question knockbox.Question
		answer   string
	}{
		"of two knocks the one that leaves less": {
			knockbox.Question{
				Phase: "discard", Hand: eleven,
				Discards: cards("QD", 10, "KC", 10), Knocks: cards("QD", 9, "KC", 8),
			}, "knock KC",
		},
		"where two discards leave the same, the higher card goes": {
			knockbox.Question{
				Phase: "discard", Hand: eleven, Discards: cards("9S", 30, "QD", 22, "KC", 22),
			}, "discard KC",
		},
		"the top of the pile where it helps": {
			knockbox.Question{
				Phase: "draw", Hand: ten, Top: "6C", MayTake: true, Deadwood: 41, DeadwoodIfTaken: 31,
			}, "take",
		},
		"else a card from the stock": {
			knockbox.Question{
				Phase: "draw", Hand: ten, Top: "KH", MayTake: true, Deadwood: 41, DeadwoodIfTaken: 41,
			}, "draw",
		},
		"an upcard that does not help is declined": {
			knockbox.Question{
				Phase: "offer", Hand: ten, Top: "KH", MayTake: true, Deadwood: 41, DeadwoodIfTaken: 41,
			}, "decline",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := bot(test.question.State())
			if err != nil || answer.String() != test.answer {
				t.Errorf("%v %v, not %s", answer, err, test.answer)
			}
		})
	}
}
