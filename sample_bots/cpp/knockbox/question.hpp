// Questions made by hand, for a bot's own tests: no referee, no rules, only what the test says.
#pragma once

#include <optional>
#include <string>

#include "state.hpp"

namespace knockbox {

// A question for seat 0 of two. `hand` is cards with spaces between them; `discards` and `knocks`
// have the deadwood after each card; with `deadwood_if_taken` the top of the pile may be taken.
//
//     Question question{.phase = Phase::draw, .hand = "AC 2C 3C", .top = "4C"};
//     assert(bot(question.state()).text() == "draw");
struct Question {
    Phase phase = Phase::draw;
    std::string hand = {};
    std::optional<Card> top = {};
    int stock = 20;
    int limit = 10;
    int deadwood = 0;
    std::optional<int> deadwood_if_taken = {};
    Counted discards = {};
    Counted knocks = {};

    // The state to call a bot with. Throws IllegalAction for what is no card.
    [[nodiscard]] State state() const;
};

}  // namespace knockbox
