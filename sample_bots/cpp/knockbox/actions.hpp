// What a bot answers, and what it hears when the answer cannot be.
//
// Actions are made by the state that asks (`state.discard("KC")`), which knows what is legal; here
// is their shape.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cards.hpp"
#include "stubs/knockbox/v1/play.pb.h"

namespace knockbox {

using Melds = std::vector<Cards>;
// For each card laid off its meld's number in `State::table`.
using Layoffs = std::vector<std::pair<Card, int>>;

// The action cannot be: the text names the card, where it is, and what would be legal.
class IllegalAction : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

// One answer to one question.
class Action {
public:
    explicit Action(v1::Action message) : message_(std::move(message)) {}

    // The same with a note of at most 200 bytes, which is kept in the replay.
    [[nodiscard]] Action note(const std::string& text) const;
    // As people say it: "knock KC [AC 2C 3C]".
    [[nodiscard]] std::string text() const;
    // Whether it names melds or layoffs, which the referee may find wrong.
    [[nodiscard]] bool arranges() const;
    // As it goes onto the wire.
    [[nodiscard]] const v1::Action& message() const { return message_; }

private:
    v1::Action message_;
};

// Melds given as lists of cards, as masks; throws IllegalAction for a card that is not there.
// `without` is the card that is discarded, or -1. Whether they are sets and runs is for the referee
// to say.
std::vector<Mask> meld_masks(const Melds& melds, Mask hand, int without = -1);

}  // namespace knockbox
