// The least deadwood now: knocks as soon as it may, takes what lowers its count at once.
#include "bot.hpp"

// Knock if possible, else keep the hand with the least deadwood.
knockbox::Action bot(const knockbox::State& state) {
    if (auto card = state.best_knock()) return state.knock(*card);
    if (auto card = state.best_discard()) return state.discard(*card);
    if (state.may_take() && state.deadwood_if_taken() < state.deadwood()) return state.take();
    return state.otherwise();
}
