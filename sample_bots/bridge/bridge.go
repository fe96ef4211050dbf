package main

import (
	"fmt"
	"time"

	"knockbox"
)

// bridge is one leg, in which one program answers for all games.
type bridge struct {
	command []string
	wait    time.Duration // the most between two answers; 0: no limit
	trace   bool
	child   *child
}

// Joined starts the program. The seat and the rules are known then, and no time runs yet.
func (b *bridge) Joined(seat knockbox.Seat) (err error) {
	b.child, err = start(b.command, []string{
		fmt.Sprintf("KNOCKBOX_SEAT=%d", seat.Number),
		"KNOCKBOX_RULES=" + rulesJSON(seat.Rules),
	})
	return err
}

// Answer asks all questions at once: while the program thinks about one, the next are there.
func (b *bridge) Answer(states []*knockbox.State) ([]knockbox.Action, error) {
	lines := make([]string, len(states))
	for at, state := range states {
		lines[at] = state.JSON()
		if b.trace {
			fmt.Println(lines[at])
		}
	}
	if err := b.child.ask(lines); err != nil {
		return nil, err
	}
	actions := make([]knockbox.Action, len(states))
	for at, state := range states {
		line, err := b.child.next(b.wait)
		if err != nil {
			return nil, err
		}
		if actions[at], err = answer(state, line); err != nil {
			return nil, b.child.failed("knockbox-bridge: line %d that the program wrote is refused: "+
				"%s\n  %w\n  (the question was %v)", b.child.answered, shown(line), err, state)
		}
	}
	return actions, nil
}

// GameStarted is nothing to a program that keeps nothing.
func (b *bridge) GameStarted(int) {}

// DealOver is for the log alone: a program hears questions only.
func (b *bridge) DealOver(result knockbox.DealResult) {
	if b.trace {
		fmt.Println(result.JSON())
	}
}

// end tells the program that no question will come any more.
func (b *bridge) end() {
	if b.child != nil {
		b.child.end()
	}
}
