package knockbox

import "slices"

// What is legal, and what it leaves. All of it is the referee's word.

// MayTake: you may take the pile's top.
func (s *State) MayTake() bool { return s.options.MayTake }

// MayDraw: you may draw from the stock.
func (s *State) MayDraw() bool { return s.options.MayDraw }

// MayDecline: you may leave the upcard.
func (s *State) MayDecline() bool { return s.options.MayDecline }

// MayBigGin: all eleven cards are melded.
func (s *State) MayBigGin() bool { return s.options.MayBigGin }

// MayLayOff: laying off is allowed.
func (s *State) MayLayOff() bool { return s.options.MayLayOff }

// Discards are the cards that you may discard.
func (s *State) Discards() []string { return names(s.options.Discards) }

// DeadwoodAfter is the least deadwood after each discard.
func (s *State) DeadwoodAfter() map[string]int {
	return counted(s.options.Discards, s.options.DiscardDeadwood)
}

// Knocks are the cards that you may knock with, each with the deadwood it leaves; 0 is gin.
func (s *State) Knocks() map[string]int {
	return counted(s.options.Knocks, s.options.KnockDeadwood)
}

// BestDiscard is, of the discards that leave the least deadwood, the one of the highest rank; ""
// where nothing may be discarded.
func (s *State) BestDiscard() string { return best(s.options.Discards, s.options.DiscardDeadwood) }

// BestKnock is, of the knocks that leave the least deadwood, the one of the highest rank; "" where
// there is none.
func (s *State) BestKnock() string { return best(s.options.Knocks, s.options.KnockDeadwood) }

// best is the card of a mask with the lowest count, then the highest rank, then the first.
func best(mask uint64, counts []byte) string {
	card, least := "", 0
	for at, name := range names(mask) {
		count := 0
		if at < len(counts) {
			count = int(counts[at])
		}
		if card == "" || count < least || count == least && Rank(name) > Rank(card) {
			card, least = name, count
		}
	}
	return card
}

// Deadwood is the least deadwood of your hand; when a discard is asked, after the best one.
func (s *State) Deadwood() int {
	if after := s.options.DiscardDeadwood; len(after) > 0 {
		return int(slices.Min(after))
	}
	return int(s.options.Deadwood)
}

// DeadwoodIfTaken is the least deadwood after taking the pile's top and the best discard; MayTake
// must hold.
func (s *State) DeadwoodIfTaken() int { return int(s.options.DeadwoodIfTaken) }
