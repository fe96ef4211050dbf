// Why an answer cannot be, in words: where the card is, and what would be legal.
//
// Works from what the seat sees alone, and only when something has gone wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "state.hpp"

namespace knockbox::explain {

// The phase as people write it.
std::string phase_word(const State& state);
// This kind of answer is not legal now.
IllegalAction not_now(const State& state, const std::string& kind);
// Why this card cannot be discarded or knocked with.
IllegalAction refused_card(const State& state, const std::string& kind, Card card);
// Throws IllegalAction for a card or a meld that is not there.
void check_layoffs(const State& state, const Layoffs& layoffs, const std::vector<Mask>& own);
// What a bot gave back is an answer to something else than it was asked.
IllegalAction no_answer(const State& state, const Action& action);
// Where a bot failed, for the line above what it says.
std::string context(const State& state);
// The line that tells of an answer, or of a whole message, that the referee did not take.
std::string refusal(const Action* answer, const std::string& code);

}  // namespace knockbox::explain
