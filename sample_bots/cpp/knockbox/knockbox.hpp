// Play Oklahoma Gin on Knockbox. A bot is a function from a state to an action:
//
//     #include "knockbox/knockbox.hpp"
//
//     knockbox::Action bot(const knockbox::State& state) {
//         if (auto card = state.best_knock()) return state.knock(*card);
//         if (auto card = state.best_discard()) return state.discard(*card);
//         if (state.may_take() && state.deadwood_if_taken() < state.deadwood()) return state.take();
//         return state.otherwise();
//     }
//
//     int main() { return knockbox::run(bot); }
//
// This folder is all there is: copy it beside the bot. What a state has, and what a bot can answer:
// state.hpp. A state for a test: question.hpp.
#pragma once

#include "actions.hpp"
#include "board.hpp"
#include "cards.hpp"
#include "question.hpp"
#include "run.hpp"
#include "state.hpp"
