#include "leg.hpp"

#include <iostream>
#include <utility>

#include "explain.hpp"

namespace knockbox {

Leg::Leg(std::function<std::unique_ptr<Bot>()> make, const Wishes& wishes)
    : make_(std::move(make)), wishes_(wishes) {}

std::optional<v1::PlayRequest> Leg::answer(v1::PlayResponse& message, const std::string& nonce) {
    v1::PlayRequest say;
    if (message.has_turns()) {
        decide(*message.mutable_turns(), *say.mutable_actions());
        return say;
    }
    if (message.has_welcome()) {
        const v1::Welcome& welcome = message.welcome();
        seat_ = std::make_shared<Seat>(Seat{static_cast<int>(welcome.seat()), welcome.rules(),
                                            welcome.clock().untimed()});
        say.mutable_ready()->set_nonce(nonce);
        say.mutable_ready()->set_max_boards(static_cast<std::uint32_t>(wishes_.max_boards));
        say.mutable_ready()->set_want_deadwood(wishes_.want_deadwood);
        return say;
    }
    if (message.has_match_over()) finish(message.match_over());
    return std::nullopt;
}

void Leg::finish(const v1::MatchOver& over) {
    if (over.reason() != v1::REASON_PLAYED) {
        const std::string reason = word(v1::Reason_Name(over.reason()), "REASON_");
        std::cerr << "knockbox: the leg ended by " << reason << std::endl;
    }
    hear(over);
    over_ = true;
}

void Leg::decide(v1::Turns& turns, v1::Actions& out) {
    for (const auto& refused : turns.refused()) {
        const auto found = refused.has_decision() ? last_.find(refused.decision()) : last_.end();
        const Action* answer = found != last_.end() ? &found->second : nullptr;
        const std::string code = word(v1::RefusalCode_Name(refused.code()), "REFUSAL_CODE_");
        std::cerr << explain::refusal(answer, code) << std::endl;
    }
    hear(turns);
    last_.clear();
    for (auto& turn : *turns.mutable_turns()) {
        Action action = ask(turn, static_cast<int>(turns.clock_left_ms()));
        *out.add_actions() = action.message();
        last_.emplace(action.message().decision(), std::move(action));
    }
}

Action Leg::ask(v1::Turn& turn, int clock_left_ms) {
    Game& game = games_.at(turn.board());
    game.own_board().hear(turn);
    const State state(seat_, game.board, std::move(turn), clock_left_ms);
    try {
        Action action = game.bot->decide(state);
        if (action.message().decision() != state.turn().decision()) {
            throw explain::no_answer(state, action);
        }
        return action;
    } catch (...) {
        std::cerr << explain::context(state) << std::endl;
        throw;
    }
}

template <typename Message>
void Leg::hear(const Message& message) {
    for (const auto& deal : message.deals_started()) {
        Game& game = games_[deal.board()];
        if (!game.bot) game = {make_(), std::make_shared<Board>()};
        game.own_board().begin(deal);
    }
    for (const auto& deal : message.deals_over()) {
        const auto game = games_.find(deal.board());
        if (game != games_.end()) game->second.bot->deal_over(result_of(deal));
    }
}

Board& Leg::Game::own_board() {
    if (board.use_count() > 1) board = std::make_shared<Board>(*board);
    return *board;
}

}  // namespace knockbox
