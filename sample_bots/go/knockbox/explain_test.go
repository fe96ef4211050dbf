package knockbox

import (
	"strings"
	"testing"
)

// A card that is nowhere to be seen is said to be so, with nothing on the pile too.
func TestWhereACardIs(t *testing.T) {
	state := Question{
		Phase: "discard", Hand: "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S", Discards: map[string]int{"KC": 9},
	}.State()
	_, err := state.Discard("5C")
	if err == nil || !strings.Contains(err.Error(), "it is not in your hand, and you have not seen it") {
		t.Errorf("it says: %v", err)
	}
}
