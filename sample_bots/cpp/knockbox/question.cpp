#include "question.hpp"

#include <algorithm>
#include <sstream>

namespace knockbox {
namespace {

Mask mask_of(const std::string& cards) {
    std::istringstream words(cards);
    Mask mask = 0;
    for (std::string card; words >> card;) mask |= bit(number(card));
    return mask;
}

// A mask, and the number beside each of its cards, cards ascending.
std::pair<Mask, std::string> counted(const Counted& cards) {
    std::vector<std::pair<int, int>> sorted;
    for (const auto& [card, count] : cards) sorted.emplace_back(number(card), count);
    std::sort(sorted.begin(), sorted.end());
    std::pair<Mask, std::string> out;
    for (const auto& [card, count] : sorted) {
        out.first |= bit(card);
        out.second += static_cast<char>(count);
    }
    return out;
}

}  // namespace

State Question::state() const {
    v1::DealStarted deal;
    deal.set_deal(1);
    deal.set_knock_limit(static_cast<std::uint32_t>(limit));
    deal.set_multiplier(1);
    deal.set_dealer(1);
    for (int side = 0; side < 2; ++side) {
        deal.add_scores(0);
        deal.add_boxes(0);
    }
    v1::Turn turn;
    turn.set_phase(static_cast<v1::Phase>(phase));
    turn.set_hand(mask_of(hand));
    turn.set_stock(static_cast<std::uint32_t>(stock));
    if (top) {
        deal.set_upcard(static_cast<std::uint32_t>(number(*top)));
        turn.set_top(deal.upcard());
    }
    v1::Options& may = *turn.mutable_options();
    may.set_may_draw(phase == Phase::draw);
    may.set_may_decline(phase == Phase::offer);
    may.set_may_take(deadwood_if_taken.has_value());
    may.set_deadwood(static_cast<std::uint32_t>(deadwood));
    may.set_deadwood_if_taken(static_cast<std::uint32_t>(deadwood_if_taken.value_or(0)));
    const auto [discard, after_discard] = counted(discards);
    may.set_discards(discard);
    may.set_discard_deadwood(after_discard);
    const auto [knock, after_knock] = counted(knocks);
    may.set_knocks(knock);
    may.set_knock_deadwood(after_knock);
    auto me = std::make_shared<Seat>();
    me->rules.set_players(2);
    auto board = std::make_shared<Board>();
    board->begin(deal);
    return {std::move(me), std::move(board), std::move(turn), 5000};
}

}  // namespace knockbox
