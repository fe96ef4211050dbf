// Package knockbox plays Oklahoma Gin on Knockbox. A bot is a function from a state to an action:
//
//	func bot(state *knockbox.State) (knockbox.Action, error) {
//		switch {
//		case len(state.Knocks()) > 0:
//			return state.Knock(state.BestKnock())
//		case len(state.Discards()) > 0:
//			return state.Discard(state.BestDiscard())
//		case state.MayTake() && state.DeadwoodIfTaken() < state.Deadwood():
//			return state.Take()
//		}
//		return state.Otherwise()
//	}
//
//	func main() { knockbox.Run(bot) }
//
// This folder is all there is: it is copied beside the bot. What a state has: view.go and
// options.go. What a bot can answer: state.go. A state for a test: question.go.
package knockbox

import (
	"fmt"
	"os"
)

// Bot answers a question with what one of the state's makers makes.
type Bot func(state *State) (Action, error)

// Player plays one game. Where it is a Listener too, it hears how each deal ended.
type Player interface {
	Answer(state *State) (Action, error)
}

// Listener hears how each deal ended.
type Listener interface {
	DealOver(result DealResult)
}

// Answer calls the bot: a Bot is a Player that keeps nothing.
func (bot Bot) Answer(state *State) (Action, error) { return bot(state) }

// Run plays the leg that Knockbox started this program for, and returns when it is over. It ends the
// program with exit code 1 and a message where the bot fails, where the program was not started by
// Knockbox, or where the leg breaks off.
func Run(bot Bot, settings ...Setting) {
	RunEach(func() Player { return bot }, settings...)
}

// RunEach is Run for bots with a memory: what makePlayer makes plays one game.
func RunEach(makePlayer func() Player, settings ...Setting) {
	RunLeg(sdk, &games{makePlayer: makePlayer, players: map[int]Player{}}, settings...)
}

// RunLeg is Run for programs that want to see all questions of a message at once. A check shows the
// name as that of the library which a bot plays with.
func RunLeg(name string, leg Leg, settings ...Setting) {
	if err := play(name, leg, settings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// games is a leg in which each game has a player of its own.
type games struct {
	makePlayer func() Player
	players    map[int]Player
}

func (g *games) Joined(Seat) error { return nil }

func (g *games) GameStarted(board int) { g.players[board] = g.makePlayer() }

func (g *games) Answer(states []*State) ([]Action, error) {
	actions := make([]Action, len(states))
	for at, state := range states {
		action, err := ask(g.players[state.Board()], state)
		if err != nil {
			return nil, err
		}
		actions[at] = action
	}
	return actions, nil
}

func (g *games) DealOver(result DealResult) {
	if listener, listens := g.players[result.Board].(Listener); listens {
		listener.DealOver(result)
	}
}

// ask is the player's answer. An error says in which question it happened; where the bot panics that
// is printed first, and the panic goes on.
func ask(player Player, state *State) (Action, error) {
	answered := false
	defer func() {
		if !answered {
			fmt.Fprintln(os.Stderr, asked(state))
		}
	}()
	action, err := player.Answer(state)
	if answered = true; err == nil {
		err = check(state, action)
	}
	if err != nil {
		err = fmt.Errorf("%s\nknockbox: the bot failed: %w", asked(state), err)
	}
	return action, err
}
