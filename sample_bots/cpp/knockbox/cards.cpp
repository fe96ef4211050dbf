#include "cards.hpp"

#include <algorithm>
#include <array>

#include "actions.hpp"

namespace knockbox {
namespace {

constexpr std::array<Card, 52> CARDS = {
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH",
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
};

}  // namespace

int number(Card card) {
    const auto* found = std::find(CARDS.begin(), CARDS.end(), card);
    if (found == CARDS.end()) {
        throw IllegalAction("\"" + std::string(card) +
                            "\" is not a card; write rank (A23456789TJQK) then suit (CDHS), "
                            "like \"KC\"");
    }
    return static_cast<int>(found - CARDS.begin());
}

int rank(Card card) { return number(card) % 13 + 1; }

char suit(Card card) { return "CDHS"[number(card) / 13]; }

Card name(int number) { return CARDS.at(static_cast<std::size_t>(number)); }

std::vector<int> numbers(Mask mask) {
    std::vector<int> found;
    for (int card = 0; card < 52; ++card) {
        if (has(mask, card)) found.push_back(card);
    }
    return found;
}

Cards names(Mask mask) {
    Cards found;
    for (int card : numbers(mask)) found.push_back(name(card));
    return found;
}

}  // namespace knockbox
