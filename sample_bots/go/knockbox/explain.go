package knockbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"knockbox/stubs"
)

// Why an answer cannot be, in words: where the card is, and what would be legal. It works from what
// the seat sees alone, and only when something has gone wrong.

// choices is what the state would take, in one line.
func choices(s *State) string {
	var legal []string
	if s.MayDecline() {
		legal = append(legal, "decline")
	}
	if s.MayTake() {
		legal = append(legal, "take "+s.Top())
	}
	if s.MayDraw() {
		legal = append(legal, "draw")
	}
	if s.MayBigGin() {
		legal = append(legal, "big_gin")
	}
	if cards := s.Discards(); len(cards) > 0 {
		legal = append(legal, "discard one of "+strings.Join(cards, " "))
	}
	if cards := names(s.options.Knocks); len(cards) > 0 {
		legal = append(legal, "knock with one of "+strings.Join(cards, " "))
	}
	if s.Phase() == "layoff" {
		legal = append(legal, "lay_off")
	}
	if legal == nil {
		legal = []string{"do nothing"}
	}
	return fmt.Sprintf("in phase %s you may %s", s.Phase(), strings.Join(legal, ", or "))
}

// where is where a card is, as far as the seat knows.
func where(s *State, card string) string {
	pile := s.Pile()
	at := slices.Index(pile, card)
	switch {
	case card == s.Taken():
		return "was taken from the pile in this turn"
	case slices.Contains(s.Hand(), card):
		return "is in your hand"
	case at >= 0 && at == len(pile)-1:
		return "is the top of the discard pile"
	case at >= 0:
		return fmt.Sprintf("lies %d deep in the pile", len(pile)-1-at)
	case slices.Contains(s.OpponentKnown(), card):
		return "is in an opponent's hand, taken from the pile"
	}
	return "is not in your hand, and you have not seen it"
}

// refusedCard is why this card cannot be discarded or knocked with.
func refusedCard(s *State, kind, card string) error {
	text := fmt.Sprintf("cannot %s %s: it %s", kind, card, where(s, card))
	if kind == "knock" && slices.Contains(s.Discards(), card) {
		if s.Limit() > 0 {
			text += fmt.Sprintf(", and the limit is %d", s.Limit())
		} else {
			text += ", and only gin ends this deal"
		}
		if left, known := s.DeadwoodAfter()[card]; known {
			text += fmt.Sprintf(", it would leave %d", left)
		}
	}
	return illegal("%s; %s", text, choices(s))
}

// checkedLayoffs are layoffs as the wire has them, cards ascending.
func checkedLayoffs(s *State, layoffs map[string]int, own []uint64) ([]*stubs.Layoff, error) {
	var laid []*stubs.Layoff
	table := s.Table()
	for _, card := range slices.Sorted(maps.Keys(layoffs)) {
		number, err := numberOf(card)
		meld := layoffs[card]
		switch {
		case err != nil:
			return nil, err
		case !has(s.turn.Hand, number):
			return nil, illegal("cannot lay off %s: it %s", card, where(s, card))
		case slices.ContainsFunc(own, func(mask uint64) bool { return has(mask, number) }):
			return nil, illegal("cannot lay off %s: it is in one of your own melds", card)
		case meld < 0 || meld >= len(table):
			melds := make([]string, len(table))
			for n, cards := range table {
				melds[n] = fmt.Sprintf("%d: %s", n, strings.Join(cards, " "))
			}
			return nil, illegal("cannot lay off %s on meld %d; on the table are %s",
				card, meld, strings.Join(melds, "; "))
		}
		laid = append(laid, &stubs.Layoff{Card: uint32(number), Meld: uint32(meld)})
	}
	slices.SortFunc(laid, func(a, b *stubs.Layoff) int { return int(a.Card) - int(b.Card) })
	return laid, nil
}

// check refuses what is no answer to this very question.
func check(s *State, action Action) error {
	what := "nothing"
	if action.kind != "" {
		if action.decision == s.turn.Decision {
			return nil
		}
		what = fmt.Sprintf("an answer to another question (%s)", action)
	}
	return illegal("the bot answered with %s; give back what one of the state's makers makes, "+
		"like state.Draw(): %s", what, choices(s))
}

// asked is what a bot was asked when its error happened.
func asked(s *State) string {
	pile := s.Pile()
	pile = pile[max(0, len(pile)-5):]
	return fmt.Sprintf("(asked in deal %d, phase %s: hand %s; pile …%s; %s)",
		s.Deal(), s.Phase(), strings.Join(s.Hand(), " "), strings.Join(pile, " "), choices(s))
}

// refusal is the line that tells of an answer that the referee did not take; nil: a whole message.
func refusal(answer *Action, code stubs.RefusalCode) string {
	what, melds := "message", ""
	if answer != nil {
		what = fmt.Sprintf("answer %s", answer)
		if answer.declared || len(answer.melds) > 0 {
			melds = "; are its melds sets and runs, and do they leave as much as you think?"
		}
	}
	return fmt.Sprintf("knockbox: the referee refused the %s (%s)%s",
		what, word(code.String(), "REFUSAL_CODE_"), melds)
}
