// Writes all that it is told to stdout, a line of JSON each, and answers by chance.
package main

import (
	"fmt"

	"knockbox"
)

type conformance struct{}

// Answer is one of the legal answers.
func (conformance) Answer(state *knockbox.State) (knockbox.Action, error) {
	fmt.Println(state.JSON())
	legal := state.Legal()
	return legal[int(state.Chance())%len(legal)], nil
}

// DealOver tells how a deal ended, without the hands.
func (conformance) DealOver(result knockbox.DealResult) {
	fmt.Println(result.JSON())
}

func main() {
	knockbox.RunEach(func() knockbox.Player { return conformance{} })
}
