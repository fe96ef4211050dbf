package knockbox

import (
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"knockbox/stubs"
)

// Ruleset has every field of the rules; those that may be absent are pointers, with a Get for each:
// state.Rules().GinBonus, state.Rules().GetTarget().
type Ruleset = stubs.Ruleset

// Seat is what holds for a whole leg: the seat, the rules, and whether there is a clock.
type Seat struct {
	Number  int
	Rules   *Ruleset
	Untimed bool
}

// State is one question: what the seat sees, with names for people, and the makers of legal
// answers. Cards are strings like "KC". Everything comes from the referee (which cards may go, what
// deadwood they leave); nothing here knows the rules. Lists are made when they are asked for.
type State struct {
	me          *Seat
	board       *board
	turn        *stubs.Turn
	options     *stubs.Options
	clockLeftMs uint32
}

func newState(me *Seat, board *board, turn *stubs.Turn, clockLeftMs uint32) *State {
	options := turn.Options
	if options == nil {
		options = &stubs.Options{}
	}
	return &State{me, board, turn, options, clockLeftMs}
}

func (s *State) String() string {
	hand := strings.Join(s.Hand(), " ")
	return fmt.Sprintf("<deal %d, %s: hand %s, top %s>", s.Deal(), s.Phase(), hand, s.Top())
}

// The table.

// Phase is what is asked: "offer", "draw", "discard" or "layoff".
func (s *State) Phase() string { return word(s.turn.Phase.String(), "PHASE_") }

// Hand is your cards now, clubs to spades: eleven when a discard is asked, else ten.
func (s *State) Hand() []string { return names(s.turn.Hand) }

// Top is the top of the discard pile; "" where there is none.
func (s *State) Top() string {
	if s.turn.Top == nil {
		return ""
	}
	return Cards[*s.turn.Top]
}

// Pile is the whole discard pile, bottom to top.
func (s *State) Pile() []string { return s.board.pile() }

// Stock is how many cards are left in the stock.
func (s *State) Stock() int { return int(s.turn.Stock) }

// Opponents are the seats you play against.
func (s *State) Opponents() []int {
	step := s.players()
	if s.me.Rules.Partnership {
		step = 2
	}
	var seats []int
	for seat := range s.players() {
		if seat%step != s.me.Number%step {
			seats = append(seats, seat)
		}
	}
	return seats
}

func (s *State) players() int {
	if players := int(s.me.Rules.Players); players != 0 {
		return players
	}
	return 2
}

// Partner is your partner's seat; -1 where everybody plays alone.
func (s *State) Partner() int {
	if !s.me.Rules.Partnership {
		return -1
	}
	return (s.me.Number + 2) % 4
}

// OpponentKnown are cards that opponents hold for certain: taken from the pile and not discarded
// since.
func (s *State) OpponentKnown() []string {
	var mask uint64
	for _, seat := range s.Opponents() {
		mask |= s.board.known(seat)
	}
	return names(mask)
}

// Known are the cards that this seat holds for certain.
func (s *State) Known(seat int) []string { return names(s.board.known(seat)) }

// History is what everybody has seen in this deal, in words: "seat 0 declined", …
func (s *State) History() []string { return s.board.story() }

// Taken is the card that you have just taken from the pile, when a discard is asked; else "".
func (s *State) Taken() string {
	if events := s.board.events(); events > 0 && s.turn.Phase == stubs.Phase_PHASE_DISCARD {
		if kind, seat, card := s.board.event(events - 1); kind == took && int(seat) == s.me.Number {
			return Cards[card]
		}
	}
	return ""
}

// Spreads are, in a layoff, the hands shown so far.
func (s *State) Spreads() []Spread { return spreadsOf(s.turn.Spreads) }

// Table is, in a layoff, the melds that you may lay off on; the place here is a meld's number. They
// are the knocker's, or, where your partner has knocked, those of both opponents.
func (s *State) Table() [][]string {
	table := [][]string{}
	if !s.MayLayOff() {
		return table
	}
	open := s.Spreads()
	// The hands that are open come first. A partner is asked when both opponents have answered.
	if s.me.Rules.Partnership && len(open) == 3 {
		open = open[:2]
	} else {
		open = open[:min(1, len(open))]
	}
	for _, spread := range open {
		table = append(table, spread.Melds...)
	}
	return table
}

// The deal and the game.

// Seat is your seat, 0-3.
func (s *State) Seat() int { return s.me.Number }

// Rules is the ruleset.
func (s *State) Rules() *Ruleset { return s.me.Rules }

// Board is the game's number in its leg.
func (s *State) Board() int { return int(s.turn.Board) }

// Dealer is the dealer's seat.
func (s *State) Dealer() int { return int(s.board.deal.Dealer) }

// Deal is the deal's number in its game, from 1.
func (s *State) Deal() int { return int(s.board.deal.Deal) }

// Limit is the most deadwood to knock; 0: only gin.
func (s *State) Limit() int { return int(s.board.deal.KnockLimit) }

// Multiplier is the factor on the deal's points.
func (s *State) Multiplier() int { return int(s.board.deal.Multiplier) }

// Upcard is the first upcard.
func (s *State) Upcard() string { return Cards[s.board.deal.Upcard] }

// Scores are the points of the game by side.
func (s *State) Scores() []int { return ints(s.board.deal.Scores) }

// Boxes are the deals won by side.
func (s *State) Boxes() []int { return ints(s.board.deal.Boxes) }

// Side is your side: the place in Scores that is yours.
func (s *State) Side() int {
	if s.me.Rules.Partnership {
		return s.me.Number % 2
	}
	return s.me.Number
}

// ClockLeft is how many seconds were left in the bank when the message was written; infinite when
// untimed.
func (s *State) ClockLeft() float64 {
	if s.me.Untimed {
		return math.Inf(1)
	}
	return float64(s.clockLeftMs) / 1000
}

// Chance is a number from all that you see: chance that can be repeated. It is the same in every
// language: CRC-32 of the facts below, in ASCII, spaces between them.
func (s *State) Chance() uint32 {
	deal, turn := s.board.deal, s.turn
	var melds []uint64
	for _, spread := range turn.Spreads {
		melds = append(melds, spread.Melds...)
	}
	facts := fmt.Sprintf("%d %d %d %d %d %s %s %s %s",
		s.me.Number, deal.Dealer, deal.Upcard, turn.Phase, turn.Hand,
		orDash(fmt.Sprintf("%x", s.board.history)),
		joined(deal.Scores), joined(deal.Boxes), orDash(joined(melds)))
	return crc32.ChecksumIEEE([]byte(facts))
}

func joined[N uint32 | uint64](numbers []N) string {
	words := make([]string, len(numbers))
	for at, number := range numbers {
		words[at] = strconv.FormatUint(uint64(number), 10)
	}
	return strings.Join(words, ",")
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
