package knockbox

import (
	"fmt"
	"slices"
	"strings"

	"knockbox/stubs"
)

// IllegalAction says why an answer cannot be: its text names the card, where it is, and what would
// be legal.
type IllegalAction struct{ text string }

func (e *IllegalAction) Error() string { return e.text }

func illegal(format string, values ...any) error {
	return &IllegalAction{fmt.Sprintf(format, values...)}
}

// Action is one answer to one question. It is made by the state that asks, which knows what is
// legal: state.Discard("KC").
type Action struct {
	decision uint32
	kind     string // "" for the zero Action, which answers nothing
	card     int    // -1: names no card
	melds    []uint64
	layoffs  []*stubs.Layoff
	declared bool // melds or layoffs were given, if only as empty ones
	note     string
}

// String is the answer in words, for messages.
func (a Action) String() string {
	words := []string{a.kind}
	if a.card >= 0 {
		words = append(words, nameOf(a.card))
	}
	for _, meld := range a.melds {
		words = append(words, "["+strings.Join(names(meld), " ")+"]")
	}
	for _, layoff := range a.layoffs {
		words = append(words, fmt.Sprintf("%s>%d", nameOf(int(layoff.Card)), layoff.Meld))
	}
	return strings.Join(words, " ")
}

// Option is something that an answer may say besides: Melds, Layoffs, Note.
type Option func(*given)

// given is what the options of an answer say. nil: not said.
type given struct {
	melds   [][]string
	layoffs map[string]int
	note    string
}

// Melds arranges the hand: each meld is a list of cards. Where it is left out the referee arranges
// for the least deadwood; Melds() without any lays nothing out.
func Melds(melds ...[]string) Option {
	return func(g *given) { g.melds = append([][]string{}, melds...) }
}

// Layoffs names for each card laid off the number of its meld in State.Table.
func Layoffs(layoffs map[string]int) Option {
	return func(g *given) {
		g.layoffs = layoffs
		if layoffs == nil {
			g.layoffs = map[string]int{}
		}
	}
}

// Note is kept in the replay beside the decision: at most 200 bytes.
func Note(text string) Option { return func(g *given) { g.note = text } }

// collect reads the options of an answer of this kind.
func collect(kind string, options []Option) (given, error) {
	var g given
	for _, option := range options {
		option(&g)
	}
	if size := len(g.note); size > 200 {
		return g, illegal("a note has at most 200 bytes, this one has %d: %.40q…", size, g.note)
	}
	if g.melds != nil && !slices.Contains([]string{"knock", "big_gin", "lay_off"}, kind) {
		return g, illegal("%s takes no melds", kind)
	}
	if g.layoffs != nil && kind != "lay_off" {
		return g, illegal("%s takes no layoffs", kind)
	}
	return g, nil
}

// meldMasks are melds as masks, out of a hand and without a card (-1: none). Whether they are sets
// and runs is for the referee to say.
func meldMasks(melds [][]string, hand uint64, without int) ([]uint64, error) {
	masks := make([]uint64, 0, len(melds))
	var used uint64
	for _, meld := range melds {
		var mask uint64
		for _, card := range meld {
			number, err := numberOf(card)
			switch {
			case err != nil:
				return nil, err
			case !has(hand, number):
				return nil, illegal("%s is not in your hand: %s", card, strings.Join(names(hand), " "))
			case number == without:
				return nil, illegal("%s is the card you discard; it cannot be in a meld", card)
			case has(used, number):
				return nil, illegal("%s is in two melds", card)
			}
			used |= 1 << number
			mask |= 1 << number
		}
		masks = append(masks, mask)
	}
	return masks, nil
}

// message is the answer as the wire has it.
func (a Action) message() *stubs.Action {
	out := &stubs.Action{Decision: a.decision, Note: a.note}
	card := uint32(max(a.card, 0))
	switch a.kind {
	case "discard":
		out.Choice = &stubs.Action_Discard{Discard: &stubs.Discard{Card: card}}
	case "draw":
		out.Choice = &stubs.Action_Draw{Draw: &stubs.Draw{}}
	case "take":
		out.Choice = &stubs.Action_Take{Take: &stubs.Take{}}
	case "decline":
		out.Choice = &stubs.Action_Decline{Decline: &stubs.Decline{}}
	case "knock":
		out.Choice = &stubs.Action_Knock{Knock: &stubs.Knock{Card: card, Melds: a.melds}}
	case "big_gin":
		out.Choice = &stubs.Action_BigGin{BigGin: &stubs.BigGin{Melds: a.melds}}
	case "lay_off":
		out.Choice = &stubs.Action_LayOff{LayOff: &stubs.LayOff{
			Melds: a.melds, Layoffs: a.layoffs, AsDeclared: a.declared,
		}}
	}
	return out
}
