package knockbox

import (
	"fmt"
	"math/bits"
	"strings"
)

// Ranks and Suits are the letters of a card ("KC": rank, then suit) in the order in which the wire
// counts cards: number = suit * 13 + rank.
const (
	Ranks = "A23456789TJQK"
	Suits = "CDHS"
)

const allCards = uint64(1)<<52 - 1

// Cards are all cards, clubs to spades, ace to king: the place is the number on the wire.
var Cards = func() (cards [52]string) {
	for number := range cards {
		cards[number] = Ranks[number%13:number%13+1] + Suits[number/13:number/13+1]
	}
	return cards
}()

// Rank is the place of a card in its suit, 1 for the ace, 13 for the king; 0 for what is no card.
func Rank(card string) int {
	number, err := numberOf(card)
	if err != nil {
		return 0
	}
	return number%13 + 1
}

// Suit is one of "C", "D", "H", "S"; "" for what is no card.
func Suit(card string) string {
	number, err := numberOf(card)
	if err != nil {
		return ""
	}
	return Suits[number/13 : number/13+1]
}

// numberOf is the number of a card such as "KC".
func numberOf(card string) (int, error) {
	if len(card) == 2 {
		rank, suit := strings.IndexByte(Ranks, card[0]), strings.IndexByte(Suits, card[1])
		if rank >= 0 && suit >= 0 {
			return suit*13 + rank, nil
		}
	}
	return 0, illegal("%q is not a card; write rank (%s) then suit (%s), like \"KC\"", card, Ranks, Suits)
}

// nameOf is a card for messages, whatever its number is.
func nameOf(number int) string {
	if number >= 0 && number < len(Cards) {
		return Cards[number]
	}
	return fmt.Sprintf("card %d", number)
}

// names are the cards of a mask, clubs to spades, ace to king; never nil.
func names(mask uint64) []string {
	mask &= allCards
	cards := make([]string, 0, bits.OnesCount64(mask))
	for ; mask != 0; mask &= mask - 1 {
		cards = append(cards, Cards[bits.TrailingZeros64(mask)])
	}
	return cards
}

// counted are the cards of a mask with the numbers beside them, a byte each, cards ascending. Where
// there are fewer bytes than cards, the rest is left out.
func counted(mask uint64, counts []byte) map[string]int {
	after := make(map[string]int, len(counts))
	for at, card := range names(mask) {
		if at < len(counts) {
			after[card] = int(counts[at])
		}
	}
	return after
}

// has says whether the card is in the mask.
func has(mask uint64, number int) bool { return mask>>number&1 == 1 }
