// Cards as people write them ("KC": rank, then suit) and as the wire counts them (0-51).
//
// Sets of cards travel as masks with bit `card` set. No rules here: not even what a card is worth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knockbox {

// A card as people write it, such as "KC".
using Card = std::string_view;
using Cards = std::vector<Card>;
using Mask = std::uint64_t;

// The place of a card in its suit: 1 for the ace, 13 for the king. Throws IllegalAction for what is
// no card; so do `suit` and `number`.
int rank(Card card);
// One of C, D, H and S.
char suit(Card card);

// The number of a card on the wire.
int number(Card card);
// The card of a number from the wire.
Card name(int number);
// The numbers of a mask's cards, ascending.
std::vector<int> numbers(Mask mask);
// The cards of a mask, clubs to spades, ace to king.
Cards names(Mask mask);
// Whether a card is in a mask.
inline bool has(Mask mask, int card) { return (mask >> card & 1U) != 0; }
inline Mask bit(int card) { return Mask{1} << card; }

// Texts with something between them.
template <typename Texts>
std::string joined(const Texts& texts, std::string_view between) {
    std::string out;
    for (const auto& text : texts) {
        if (!out.empty()) out += between;
        out += text;
    }
    return out;
}

}  // namespace knockbox
