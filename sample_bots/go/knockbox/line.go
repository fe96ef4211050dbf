package knockbox

import "strconv"

// JSON is all of the question as one line, without its end: ASCII without spaces, the keys in this
// order, each always there. Every SDK writes the very same bytes, and a program behind the bridge
// reads them.
func (s *State) JSON() string {
	l := line{'{'}
	l.number("board", s.Board())
	l.number("deal", s.Deal())
	l.number("seat", s.Seat())
	l.number("dealer", s.Dealer())
	l.text("phase", s.Phase())
	l.texts("hand", s.Hand())
	l.card("top", s.Top())
	l.texts("pile", s.Pile())
	l.number("stock", s.Stock())
	l.card("upcard", s.Upcard())
	l.card("taken", s.Taken())
	l.number("limit", s.Limit())
	l.number("multiplier", s.Multiplier())
	l.numbers("scores", s.Scores())
	l.numbers("boxes", s.Boxes())
	l.choices(s)
	l.seen(s)
	l[len(l)-1] = '}'
	return string(l)
}

// choices is what is legal. Deadwood is null where the referee sent none.
func (l *line) choices(s *State) {
	l.truth("may_take", s.MayTake())
	l.truth("may_draw", s.MayDraw())
	l.truth("may_decline", s.MayDecline())
	l.truth("may_big_gin", s.MayBigGin())
	l.truth("may_lay_off", s.MayLayOff())
	l.number("deadwood", s.Deadwood())
	if s.MayTake() {
		l.number("deadwood_if_taken", s.DeadwoodIfTaken())
	} else {
		l.null("deadwood_if_taken")
	}
	l.counts("discards", s.options.Discards, s.options.DiscardDeadwood)
	l.counts("knocks", s.options.Knocks, s.options.KnockDeadwood)
	l.card("best_discard", s.BestDiscard())
	l.card("best_knock", s.BestKnock())
}

// seen is what follows from what others did.
func (l *line) seen(s *State) {
	l.key("known")
	l.list(s.players(), func(seat int) { l.strings(s.Known(seat)) })
	spreads := s.Spreads()
	l.key("spreads")
	l.list(len(spreads), func(at int) {
		spread := spreads[at]
		*l = append(*l, '{')
		l.number("seat", spread.Seat)
		l.melds("melds", spread.Melds)
		l.texts("unmatched", spread.Unmatched)
		l.number("deadwood", spread.Deadwood)
		l.end('}')
	})
	l.melds("table", s.Table())
	l.texts("history", s.History())
	l.number("chance", int(s.Chance()))
	if s.me.Untimed {
		l.null("clock_left_ms")
	} else {
		l.number("clock_left_ms", int(s.clockLeftMs))
	}
}

// JSON is how a deal ended as one line, without the hands: {"deal_over":{…}}.
func (r DealResult) JSON() string {
	l := line{'{'}
	l.key("deal_over")
	l = append(l, '{')
	l.number("board", r.Board)
	l.number("deal", r.Deal)
	l.text("end", r.End)
	if r.Winner < 0 {
		l.null("winner")
	} else {
		l.number("winner", r.Winner)
	}
	l.numbers("points", r.Points)
	l.numbers("deadwood", r.Deadwood)
	l.end('}')
	l[len(l)-1] = '}'
	return string(l)
}

// line is an object in the making: after each value stands a comma, and the last becomes its end.
// Its texts are words and cards of this package, which need no escapes.
type line []byte

func (l *line) key(name string) { *l = append(append(append(*l, '"'), name...), '"', ':') }

func (l *line) value(text string) { *l = append(append(*l, text...), ',') }

func (l *line) quoted(text string) { *l = append(append(append(*l, '"'), text...), '"', ',') }

// end closes an object or a list, and the comma after its last value gives way.
func (l *line) end(with byte) {
	if last := len(*l) - 1; (*l)[last] == ',' {
		*l = (*l)[:last]
	}
	*l = append(*l, with, ',')
}

func (l *line) list(length int, write func(at int)) {
	*l = append(*l, '[')
	for at := range length {
		write(at)
	}
	l.end(']')
}

func (l *line) strings(texts []string) { l.list(len(texts), func(at int) { l.quoted(texts[at]) }) }

func (l *line) null(name string) { l.key(name); l.value("null") }

func (l *line) truth(name string, value bool) { l.key(name); l.value(strconv.FormatBool(value)) }

func (l *line) number(name string, value int) { l.key(name); l.value(strconv.Itoa(value)) }

func (l *line) text(name, value string) { l.key(name); l.quoted(value) }

func (l *line) texts(name string, values []string) { l.key(name); l.strings(values) }

// card is a card, or null where there is none.
func (l *line) card(name, card string) {
	if card == "" {
		l.null(name)
	} else {
		l.text(name, card)
	}
}

func (l *line) numbers(name string, values []int) {
	l.key(name)
	l.list(len(values), func(at int) { l.value(strconv.Itoa(values[at])) })
}

func (l *line) melds(name string, melds [][]string) {
	l.key(name)
	l.list(len(melds), func(at int) { l.strings(melds[at]) })
}

// counts are cards in their order, each with the number beside it.
func (l *line) counts(name string, mask uint64, counts []byte) {
	l.key(name)
	*l = append(*l, '{')
	for at, card := range names(mask) {
		if at < len(counts) {
			l.number(card, int(counts[at]))
		} else {
			l.null(card)
		}
	}
	l.end('}')
}
