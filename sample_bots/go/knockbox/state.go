package knockbox

// Legal is every legal answer, where melds and layoffs are left to the referee.
func (s *State) Legal() []Action {
	if s.Phase() == "layoff" {
		return []Action{s.plain("lay_off")}
	}
	var legal []Action
	for _, kind := range []string{"decline", "take", "draw", "big_gin"} {
		if s.may(kind) {
			legal = append(legal, s.plain(kind))
		}
	}
	for _, kind := range []string{"discard", "knock"} {
		for _, card := range names(s.cardsFor(kind)) {
			action := s.plain(kind)
			action.card, _ = numberOf(card)
			legal = append(legal, action)
		}
	}
	return legal
}

// Decline leaves the offered upcard.
func (s *State) Decline(options ...Option) (Action, error) { return s.answer("decline", options) }

// Take takes the top of the discard pile.
func (s *State) Take(options ...Option) (Action, error) { return s.answer("take", options) }

// Draw draws from the stock.
func (s *State) Draw(options ...Option) (Action, error) { return s.answer("draw", options) }

// Discard discards a card and plays on.
func (s *State) Discard(card string, options ...Option) (Action, error) {
	return s.answerWith("discard", card, options)
}

// Knock discards a card and knocks, or goes gin. Without Melds the referee arranges for the least
// deadwood.
func (s *State) Knock(card string, options ...Option) (Action, error) {
	return s.answerWith("knock", card, options)
}

// BigGin declares eleven melded cards.
func (s *State) BigGin(options ...Option) (Action, error) { return s.answer("big_gin", options) }

// LayOff arranges your hand after a knock. Without Melds and Layoffs the referee chooses what leaves
// the least deadwood.
func (s *State) LayOff(options ...Option) (Action, error) { return s.answer("lay_off", options) }

// Otherwise is what is left when you do not want the pile's card: draw, decline, lay off at best, or
// (when a discard is asked) the best discard.
func (s *State) Otherwise(options ...Option) (Action, error) {
	switch {
	case s.MayDraw():
		return s.Draw(options...)
	case s.MayDecline():
		return s.Decline(options...)
	case s.Phase() == "layoff":
		return s.LayOff(options...)
	case s.options.Discards != 0:
		return s.Discard(s.BestDiscard(), options...)
	}
	return s.Take(options...)
}

// may says whether an answer that names no card is legal.
func (s *State) may(kind string) bool {
	switch kind {
	case "decline":
		return s.MayDecline()
	case "take":
		return s.MayTake()
	case "draw":
		return s.MayDraw()
	case "big_gin":
		return s.MayBigGin()
	}
	return s.Phase() == "layoff"
}

// cardsFor are the cards that may be discarded or knocked with, as a mask.
func (s *State) cardsFor(kind string) uint64 {
	if kind == "knock" {
		return s.options.Knocks
	}
	return s.options.Discards
}

func (s *State) plain(kind string) Action {
	return Action{decision: s.turn.Decision, kind: kind, card: -1}
}

// answer makes an answer that names no card.
func (s *State) answer(kind string, options []Option) (Action, error) {
	if !s.may(kind) {
		return Action{}, illegal("%s is not legal now: %s", kind, choices(s))
	}
	return s.finish(s.plain(kind), options)
}

// answerWith makes an answer that discards a card.
func (s *State) answerWith(kind, card string, options []Option) (Action, error) {
	number, err := numberOf(card)
	if err != nil {
		return Action{}, err
	}
	if !has(s.cardsFor(kind), number) {
		return Action{}, refusedCard(s, kind, card)
	}
	action := s.plain(kind)
	action.card = number
	return s.finish(action, options)
}

// finish adds to an answer what its options say.
func (s *State) finish(action Action, options []Option) (Action, error) {
	if len(options) == 0 {
		return action, nil
	}
	said, err := collect(action.kind, options)
	if err != nil {
		return Action{}, err
	}
	if action.melds, err = meldMasks(said.melds, s.turn.Hand, action.card); err != nil {
		return Action{}, err
	}
	if action.layoffs, err = checkedLayoffs(s, said.layoffs, action.melds); err != nil {
		return Action{}, err
	}
	action.note = said.note
	action.declared = action.kind == "lay_off" && (said.melds != nil || said.layoffs != nil)
	return action, nil
}
