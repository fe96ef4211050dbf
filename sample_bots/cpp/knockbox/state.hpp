// What a bot is called with: what its seat sees at one question, and the makers of legal answers.
//
// Everything comes from the referee (which cards may go, what deadwood they leave); nothing here
// knows the rules. Cards are texts like "KC". Each answer is worked out when it is asked for, and
// not kept. view.cpp: what is seen; options.cpp: what is legal; state.cpp: the makers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions.hpp"
#include "board.hpp"
#include "cards.hpp"
#include "stubs/knockbox/v1/play.pb.h"

namespace knockbox {

// What is asked.
enum class Phase { offer = 1, draw, discard, layoff };

using Ruleset = v1::Ruleset;

// What holds for a whole leg: the seat, the rules and the clock.
struct Seat {
    int seat = 0;
    Ruleset rules;
    bool untimed = false;
};

// Cards with the number that belongs to each, in the order of the cards.
using Counted = std::vector<std::pair<Card, int>>;

class State {
public:
    State(std::shared_ptr<const Seat> me, std::shared_ptr<const Board> board, v1::Turn turn,
          int clock_left_ms);

    // The table.

    [[nodiscard]] Phase phase() const { return static_cast<Phase>(turn_.phase()); }
    // Your cards now, clubs to spades: eleven when a discard is asked, else ten.
    [[nodiscard]] Cards hand() const { return names(turn_.hand()); }
    // The top of the discard pile, and the whole pile, bottom to top.
    [[nodiscard]] std::optional<Card> top() const;
    [[nodiscard]] Cards pile() const { return board_->pile(); }
    // How many cards are left in the stock.
    [[nodiscard]] int stock() const { return static_cast<int>(turn_.stock()); }
    // The seats you play against; your partner's seat, where you have one.
    [[nodiscard]] std::vector<int> opponents() const;
    [[nodiscard]] std::optional<int> partner() const;
    // Cards that opponents, or one seat, hold for certain: taken from the pile and not discarded.
    [[nodiscard]] Cards opponent_known() const;
    [[nodiscard]] Cards known(int seat) const { return names(board_->known(seat)); }
    // What everybody has seen in this deal, in words: ["seat 0 declined", …].
    [[nodiscard]] std::vector<std::string> history() const { return board_->story(); }
    // The card that you have just taken from the pile, when a discard is asked.
    [[nodiscard]] std::optional<Card> taken() const;
    // In a layoff: the hands shown so far.
    [[nodiscard]] std::vector<Spread> spreads() const;
    // In a layoff: the melds that you may lay off on; the place here is a meld's number. They are
    // the knocker's, or, where your partner has knocked, those of both opponents.
    [[nodiscard]] std::vector<Cards> table() const;

    // The deal and the game.

    // Your seat, 0-3; your side, the place in `scores` that is yours; the game's number in its leg.
    [[nodiscard]] int seat() const { return me_->seat; }
    [[nodiscard]] int side() const;
    [[nodiscard]] int board() const { return static_cast<int>(turn_.board()); }
    // The ruleset: rules().gin_bonus(), rules().target()…
    [[nodiscard]] const Ruleset& rules() const { return me_->rules; }
    // The dealer's seat; the deal's number in its game, from 1; the first card of the pile.
    [[nodiscard]] int dealer() const { return static_cast<int>(deal_message().dealer()); }
    [[nodiscard]] int deal() const { return static_cast<int>(deal_message().deal()); }
    [[nodiscard]] Card upcard() const { return name(static_cast<int>(deal_message().upcard())); }
    // Most deadwood to knock (0: only gin); the factor on the points.
    [[nodiscard]] int limit() const { return static_cast<int>(deal_message().knock_limit()); }
    [[nodiscard]] int multiplier() const { return static_cast<int>(deal_message().multiplier()); }
    // Points of the game, and deals won, by side.
    [[nodiscard]] std::vector<int> scores() const;
    [[nodiscard]] std::vector<int> boxes() const;
    // Seconds left in the bank when the message was written; infinite when untimed.
    [[nodiscard]] double clock_left() const;
    // A number made of all that you see: chance that can be repeated, the same in every language.
    [[nodiscard]] std::uint32_t chance() const;
    // All of the question as one line of JSON: the same bytes in every language.
    [[nodiscard]] std::string json() const;

    // What is legal, and what it leaves.

    [[nodiscard]] bool may_take() const { return options().may_take(); }
    [[nodiscard]] bool may_draw() const { return options().may_draw(); }
    [[nodiscard]] bool may_decline() const { return options().may_decline(); }
    [[nodiscard]] bool may_big_gin() const { return options().may_big_gin(); }
    [[nodiscard]] bool may_lay_off() const { return options().may_lay_off(); }
    // The cards that you may discard; least deadwood after each (empty where it was not asked for).
    [[nodiscard]] Cards discards() const { return names(options().discards()); }
    [[nodiscard]] Counted deadwood_after() const;
    // The cards that you may knock with, each with the deadwood it leaves; 0 is gin.
    [[nodiscard]] Counted knocks() const;
    // Of those that leave the least deadwood the one of the highest rank.
    [[nodiscard]] std::optional<Card> best_discard() const;
    [[nodiscard]] std::optional<Card> best_knock() const;
    // Least deadwood of your hand; when a discard is asked, after the best one.
    [[nodiscard]] int deadwood() const;
    // Least deadwood after taking the pile's top and the best discard; may_take must hold.
    [[nodiscard]] int deadwood_if_taken() const;
    // Every legal answer, where melds and layoffs are left to the referee.
    [[nodiscard]] std::vector<Action> legal() const;

    // Answers. What cannot be throws IllegalAction.

    // Leave the offered upcard; take the top of the discard pile; draw from the stock.
    [[nodiscard]] Action decline() const;
    [[nodiscard]] Action take() const;
    [[nodiscard]] Action draw() const;
    // Discard a card and play on.
    [[nodiscard]] Action discard(Card card) const;
    // Discard a card and knock, or go gin. Without melds the referee arranges for least deadwood.
    [[nodiscard]] Action knock(Card card, const Melds& melds = {}) const;
    // Declare eleven melded cards.
    [[nodiscard]] Action big_gin(const Melds& melds = {}) const;
    // Arrange your hand after a knock: as the referee finds best, or yourself.
    [[nodiscard]] Action lay_off() const;
    [[nodiscard]] Action lay_off(const Melds& melds, const Layoffs& layoffs = {}) const;
    // What is left when you do not want the pile's card: draw, decline, lay off at best, or (when a
    // discard is asked) the best discard.
    [[nodiscard]] Action otherwise() const;

    // For the SDK.
    [[nodiscard]] const v1::Turn& turn() const { return turn_; }
    [[nodiscard]] const v1::Options& options() const { return turn_.options(); }

private:
    [[nodiscard]] const v1::DealStarted& deal_message() const { return board_->deal(); }
    [[nodiscard]] int seats() const;
    // An answer to this question; where it is not allowed it throws.
    [[nodiscard]] v1::Action answer(const char* kind, bool allowed) const;

    std::shared_ptr<const Seat> me_;
    std::shared_ptr<const Board> board_;
    v1::Turn turn_;
    int clock_left_ms_;
};

}  // namespace knockbox
