// Writes all that it is told to stdout, a line of JSON each, and answers by chance.
package main

import (
	"encoding/json"
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
	var winner *int
	if result.Winner >= 0 {
		winner = &result.Winner
	}
	type over struct {
		Board    int    `json:"board"`
		Deal     int    `json:"deal"`
		End      string `json:"end"`
		Winner   *int   `json:"winner"`
		Points   []int  `json:"points"`
		Deadwood []int  `json:"deadwood"`
	}
	line, _ := json.Marshal(map[string]over{"deal_over": {
		result.Board, result.Deal, result.End, winner, result.Points, result.Deadwood,
	}})
	fmt.Println(string(line))
}

func main() {
	knockbox.RunEach(func() knockbox.Player { return conformance{} })
}
