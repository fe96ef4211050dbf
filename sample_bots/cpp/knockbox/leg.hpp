// One leg as the bot's side plays it: what is said to each message of the referee.
//
// Knows no wire, no clock and no chance: the same messages get the same answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "board.hpp"
#include "run.hpp"
#include "state.hpp"

namespace knockbox {

class Leg {
public:
    Leg(std::function<std::unique_ptr<Bot>()> make, const Wishes& wishes);

    // What to say to a message; nothing: close this end. `nonce` is said after Welcome. What the
    // bot throws passes through, when what it was asked has been printed.
    std::optional<v1::PlayRequest> answer(v1::PlayResponse& message, const std::string& nonce);

    // Whether the referee has told the seat; whether MatchOver has come.
    [[nodiscard]] bool started() const { return seat_ != nullptr; }
    [[nodiscard]] bool over() const { return over_; }

private:
    // One game, and the bot that plays it.
    struct Game {
        std::unique_ptr<Bot> bot;
        std::shared_ptr<Board> board;

        // The board to write to: a state that a bot has kept keeps what it saw.
        Board& own_board();
    };

    void decide(v1::Turns& turns, v1::Actions& out);
    Action ask(v1::Turn& turn, int clock_left_ms);
    template <typename Message>
    void hear(const Message& message);
    void finish(const v1::MatchOver& over);

    std::function<std::unique_ptr<Bot>()> make_;
    Wishes wishes_;
    std::shared_ptr<const Seat> seat_;
    std::map<std::uint32_t, Game> games_;
    // What was answered last, by decision.
    std::map<std::uint32_t, Action> last_;
    bool over_ = false;
};

}  // namespace knockbox
