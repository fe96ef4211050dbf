package knockbox

import (
	"maps"
	"slices"
	"strings"

	"knockbox/stubs"
)

// Question is a question made by hand, for a bot's own tests: no referee, no rules, only what the
// test says. It is asked of seat 0 of two.
type Question struct {
	Phase           string // "offer", "draw", "discard" or "layoff"
	Hand            string // cards with spaces between them
	Top             string // the top of the pile; "" for none
	MayTake         bool
	Stock           int
	Limit           int
	Deadwood        int
	DeadwoodIfTaken int
	Discards        map[string]int // the deadwood after each card
	Knocks          map[string]int
}

// State is what the bot is called with. It panics where the question names what is no card.
func (q Question) State() *State {
	phase := stubs.Phase_value["PHASE_"+strings.ToUpper(q.Phase)]
	turn := &stubs.Turn{
		Phase: stubs.Phase(phase), Hand: maskOf(strings.Fields(q.Hand)), Stock: uint32(q.Stock),
		Options: &stubs.Options{
			MayTake: q.MayTake, MayDraw: q.Phase == "draw", MayDecline: q.Phase == "offer",
			Deadwood: uint32(q.Deadwood), DeadwoodIfTaken: uint32(q.DeadwoodIfTaken),
		},
	}
	deal := &stubs.DealStarted{
		Deal: 1, KnockLimit: uint32(q.Limit), Multiplier: 1, Dealer: 1,
		Scores: []uint32{0, 0}, Boxes: []uint32{0, 0},
	}
	if q.Top != "" {
		top := uint32(mustNumber(q.Top))
		turn.Top, deal.Upcard = &top, top
	}
	turn.Options.Discards, turn.Options.DiscardDeadwood = wireCounts(q.Discards)
	turn.Options.Knocks, turn.Options.KnockDeadwood = wireCounts(q.Knocks)
	b := &board{}
	b.begin(deal)
	return newState(&Seat{Rules: &Ruleset{Players: 2}}, b, turn, 5000)
}

func mustNumber(card string) int {
	number, err := numberOf(card)
	if err != nil {
		panic(err)
	}
	return number
}

func maskOf(cards []string) uint64 {
	var mask uint64
	for _, card := range cards {
		mask |= 1 << mustNumber(card)
	}
	return mask
}

// wireCounts is a mask, and the number beside each of its cards, cards ascending.
func wireCounts(counts map[string]int) (uint64, []byte) {
	mask := maskOf(slices.Collect(maps.Keys(counts)))
	var bytes []byte
	for _, card := range names(mask) {
		bytes = append(bytes, byte(counts[card]))
	}
	return mask, bytes
}
