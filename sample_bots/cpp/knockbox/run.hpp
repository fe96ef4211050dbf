// How a bot is started: what bots are, and what they may wish.
#pragma once

#include <functional>
#include <memory>

#include "board.hpp"
#include "state.hpp"

namespace knockbox {

// A bot with a memory: one object plays one game.
class Bot {
public:
    virtual ~Bot() = default;
    // The answer to a question, made by the state.
    virtual Action decide(const State& state) = 0;
    // Hear how a deal ended.
    virtual void deal_over(const DealResult& result) { (void)result; }
};

// What a bot asks of the referee: most games at once (0: no limit), and the deadwood after each
// discard.
struct Wishes {
    int max_boards = 0;
    bool want_deadwood = true;
};

// Plays the leg that Knockbox started this program for; gives main() its exit code.
//
// What the bot throws ends the program with its text and exit code 1; so does a leg that breaks
// off, and a start by hand.
int run(const std::function<Action(const State&)>& bot, const Wishes& wishes = {});

// The same with an object for each game, which `make` makes.
int run_each(const std::function<std::unique_ptr<Bot>()>& make, const Wishes& wishes = {});

}  // namespace knockbox
