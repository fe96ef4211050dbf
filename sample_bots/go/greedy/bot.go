// The least deadwood now: knocks as soon as it may, takes what lowers its count at once.
package main

import "knockbox"

// bot knocks if possible, else keeps the hand with the least deadwood.
func bot(state *knockbox.State) (knockbox.Action, error) {
	switch {
	case len(state.Knocks()) > 0:
		return state.Knock(state.BestKnock())
	case len(state.Discards()) > 0:
		return state.Discard(state.BestDiscard())
	case state.MayTake() && state.DeadwoodIfTaken() < state.Deadwood():
		return state.Take()
	}
	return state.Otherwise()
}

func main() { knockbox.Run(bot) }
