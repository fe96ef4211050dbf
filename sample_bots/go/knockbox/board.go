package knockbox

import (
	"fmt"
	"strings"

	"knockbox/stubs"
)

// The kinds of public events, as the wire counts them.
const (
	declined = iota + 1
	took
	drew
	discarded
	shuffled
)

var verbs = map[byte]string{
	declined: "declined", took: "took", drew: "drew", discarded: "discarded", shuffled: "shuffled",
}

// Spread is cards that a seat has shown: its melds with what was laid off on them, and the rest.
type Spread struct {
	Seat      int
	Melds     [][]string
	Unmatched []string
	Deadwood  int
}

// DealResult is how a deal ended. End: knock, gin, big_gin, undercut, void_stock, void_turn_cap or
// broken_off. Winner is a side, -1 when the deal was void. Points by side, Deadwood by seat, Hands
// as they were shown (none after a void).
type DealResult struct {
	Board    int
	Deal     int
	End      string
	Winner   int
	Points   []int
	Deadwood []int
	Hands    []Spread
}

func spreadsOf(messages []*stubs.Spread) []Spread {
	spreads := make([]Spread, 0, len(messages))
	for _, message := range messages {
		melds := make([][]string, 0, len(message.Melds))
		for _, meld := range message.Melds {
			melds = append(melds, names(meld))
		}
		spreads = append(spreads, Spread{
			Seat:      int(message.Seat),
			Melds:     melds,
			Unmatched: names(message.Unmatched),
			Deadwood:  int(message.Deadwood),
		})
	}
	return spreads
}

func resultOf(message *stubs.DealOver) DealResult {
	winner := -1
	if message.Winner != nil {
		winner = int(*message.Winner)
	}
	return DealResult{
		Board:    int(message.Board),
		Deal:     int(message.Deal),
		End:      word(message.End.String(), "DEAL_END_"),
		Winner:   winner,
		Points:   ints(message.Points),
		Deadwood: ints(message.Deadwood),
		Hands:    spreadsOf(message.Spreads),
	}
}

// word is the name of an enum's value without what all of them begin with.
func word(name, prefix string) string { return strings.ToLower(strings.TrimPrefix(name, prefix)) }

func ints[N byte | uint32](numbers []N) []int {
	out := make([]int, len(numbers))
	for at, number := range numbers {
		out[at] = int(number)
	}
	return out
}

// board is what is kept of one game between two questions: the deal's facts and its public history.
// What follows from the history is worked out when a bot asks for it.
type board struct {
	deal     *stubs.DealStarted
	history  []byte
	answered int64 // the decision whose events were added last; -1: none since the deal's
}

// begin: a deal starts, or is told again after a reconnection with all that was public.
func (b *board) begin(deal *stubs.DealStarted) {
	b.deal, b.history, b.answered = deal, deal.Events, -1
}

// hear adds what has happened since the last question; a repeated question adds nothing.
func (b *board) hear(turn *stubs.Turn) {
	if decision := int64(turn.Decision); decision != b.answered {
		b.answered = decision
		b.history = append(b.history, turn.Events...)
	}
}

// event is the n-th event: its kind, the seat, and the card, or 255.
func (b *board) event(n int) (kind, seat, card byte) {
	code := b.history[2*n]
	return code >> 4, code & 15, b.history[2*n+1]
}

func (b *board) events() int { return len(b.history) / 2 }

// pile is the discard pile, bottom to top.
func (b *board) pile() []string {
	pile := []string{Cards[b.deal.Upcard]}
	for n := range b.events() {
		switch kind, _, card := b.event(n); kind {
		case discarded:
			pile = append(pile, Cards[card])
		case took:
			pile = pile[:len(pile)-1]
		case shuffled:
			pile = pile[len(pile)-1:]
		}
	}
	return pile
}

// known are the cards, as a mask, that a seat has taken from the pile and not discarded since.
func (b *board) known(seat int) uint64 {
	var mask uint64
	for n := range b.events() {
		kind, by, card := b.event(n)
		switch {
		case int(by) != seat:
		case kind == took:
			mask |= 1 << card
		case kind == discarded:
			mask &^= 1 << card
		}
	}
	return mask
}

// story is the history in words, for people and for messages.
func (b *board) story() []string {
	lines := make([]string, 0, b.events())
	for n := range b.events() {
		kind, seat, card := b.event(n)
		line := fmt.Sprintf("seat %d %s", seat, verbs[kind])
		if card < 52 {
			line += " " + Cards[card]
		}
		lines = append(lines, line)
	}
	return lines
}
