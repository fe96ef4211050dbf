// What the SDK keeps of one board between two questions: the deal's facts and its public history.
//
// The history is only collected here; what follows from it (the pile, the known cards) is worked
// out when a bot asks for it, so that a bot that does not ask does not pay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cards.hpp"
#include "stubs/knockbox/v1/play.pb.h"

namespace knockbox {

// Cards that a seat has shown: its melds with what was laid off on them, and the rest.
struct Spread {
    int seat = 0;
    std::vector<Cards> melds;
    Cards unmatched;
    int deadwood = 0;
};

// How a deal ended, for a bot's `deal_over`. `board` is the game's number, as in the state.
struct DealResult {
    int board = 0;
    int deal = 0;
    // knock, gin, big_gin, undercut, void_stock, void_turn_cap or broken_off.
    std::string end;
    // A side; absent when the deal was void.
    std::optional<int> winner;
    std::vector<int> points;     // by side
    std::vector<int> deadwood;   // by seat
    std::vector<Spread> hands;   // as they were shown; none after a void
};

Spread spread_of(const v1::Spread& message);
DealResult result_of(const v1::DealOver& message);
// An enum's name on the wire in small letters, without its beginning: DEAL_END_GIN is "gin".
std::string word(const std::string& name, std::string_view prefix);
// Bytes of the wire, as numbers.
std::vector<int> bytes(const std::string& text);

// One public event of a deal. `card` is -1 where it was not seen.
struct Event {
    enum Kind { declined = 1, took, drew, discarded, shuffled };
    int kind = 0;
    int seat = 0;
    int card = -1;
};

// One game in flight as one seat sees it.
class Board {
public:
    // A deal starts, or is told again after a reconnection with all that was public.
    void begin(const v1::DealStarted& deal);
    // Add what has happened since the last question; a repeated question adds nothing.
    void hear(const v1::Turn& turn);

    [[nodiscard]] const v1::DealStarted& deal() const { return deal_; }
    // The deal's public events, two bytes each, as on the wire; and one by one.
    [[nodiscard]] const std::string& history() const { return history_; }
    [[nodiscard]] std::vector<Event> events() const;
    // The discard pile, bottom to top.
    [[nodiscard]] Cards pile() const;
    // Cards that a seat has taken from the pile and not discarded since.
    [[nodiscard]] Mask known(int seat) const;
    // The history in words, for people and for messages.
    [[nodiscard]] std::vector<std::string> story() const;

private:
    v1::DealStarted deal_;
    std::string history_;
    // The decision whose events were added last.
    std::optional<std::uint32_t> answered_;
};

}  // namespace knockbox
