// What is legal at a question, and the deadwood that each choice leaves.
#include <algorithm>

#include "state.hpp"

namespace knockbox {
namespace {

// The cards of a mask with the number that belongs to each.
Counted counted(Mask mask, const std::string& counts) {
    const Cards cards = names(mask);
    const std::vector<int> numbers = bytes(counts);
    Counted found;
    for (std::size_t at = 0; at < std::min(cards.size(), numbers.size()); ++at) {
        found.emplace_back(cards[at], numbers[at]);
    }
    return found;
}

std::optional<Card> best(const Counted& after) {
    const auto order = [](const auto& each) { return std::pair(each.second, -rank(each.first)); };
    const auto least = std::min_element(
        after.begin(), after.end(),
        [&order](const auto& one, const auto& other) { return order(one) < order(other); });
    if (least == after.end()) return std::nullopt;
    return least->first;
}

}  // namespace

Counted State::deadwood_after() const {
    return counted(options().discards(), options().discard_deadwood());
}

Counted State::knocks() const { return counted(options().knocks(), options().knock_deadwood()); }

std::optional<Card> State::best_discard() const {
    Counted after = deadwood_after();
    if (after.empty()) {
        for (Card card : discards()) after.emplace_back(card, 0);
    }
    return best(after);
}

std::optional<Card> State::best_knock() const { return best(knocks()); }

int State::deadwood() const {
    const std::vector<int> after = bytes(options().discard_deadwood());
    if (after.empty()) return static_cast<int>(options().deadwood());
    return *std::min_element(after.begin(), after.end());
}

int State::deadwood_if_taken() const { return static_cast<int>(options().deadwood_if_taken()); }

std::vector<Action> State::legal() const {
    if (phase() == Phase::layoff) return {lay_off()};
    std::vector<Action> found;
    if (may_decline()) found.push_back(decline());
    if (may_take()) found.push_back(take());
    if (may_draw()) found.push_back(draw());
    if (may_big_gin()) found.push_back(big_gin());
    for (Card card : discards()) found.push_back(discard(card));
    for (const auto& [card, left] : knocks()) found.push_back(knock(card));
    return found;
}

}  // namespace knockbox
