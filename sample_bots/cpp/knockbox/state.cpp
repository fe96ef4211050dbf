// The makers of legal answers: every answer is made by the state that it answers.
#include "state.hpp"

#include "explain.hpp"

namespace knockbox {

v1::Action State::answer(const char* kind, bool allowed) const {
    if (!allowed) throw explain::not_now(*this, kind);
    v1::Action message;
    message.set_decision(turn_.decision());
    return message;
}

Action State::decline() const {
    v1::Action message = answer("decline", may_decline());
    message.mutable_decline();
    return Action(std::move(message));
}

Action State::take() const {
    v1::Action message = answer("take", may_take());
    message.mutable_take();
    return Action(std::move(message));
}

Action State::draw() const {
    v1::Action message = answer("draw", may_draw());
    message.mutable_draw();
    return Action(std::move(message));
}

Action State::discard(Card card) const {
    const int at = number(card);
    if (!has(options().discards(), at)) throw explain::refused_card(*this, "discard", card);
    v1::Action message = answer("discard", true);
    message.mutable_discard()->set_card(static_cast<std::uint32_t>(at));
    return Action(std::move(message));
}

Action State::knock(Card card, const Melds& melds) const {
    const int at = number(card);
    if (!has(options().knocks(), at)) throw explain::refused_card(*this, "knock", card);
    v1::Action message = answer("knock", true);
    message.mutable_knock()->set_card(static_cast<std::uint32_t>(at));
    for (Mask meld : meld_masks(melds, turn_.hand(), at)) message.mutable_knock()->add_melds(meld);
    return Action(std::move(message));
}

Action State::big_gin(const Melds& melds) const {
    v1::Action message = answer("big_gin", may_big_gin());
    message.mutable_big_gin();
    for (Mask meld : meld_masks(melds, turn_.hand())) message.mutable_big_gin()->add_melds(meld);
    return Action(std::move(message));
}

Action State::lay_off() const {
    v1::Action message = answer("lay_off", phase() == Phase::layoff);
    message.mutable_lay_off();
    return Action(std::move(message));
}

Action State::lay_off(const Melds& melds, const Layoffs& layoffs) const {
    v1::Action message = answer("lay_off", phase() == Phase::layoff);
    const std::vector<Mask> own = meld_masks(melds, turn_.hand());
    explain::check_layoffs(*this, layoffs, own);
    v1::LayOff& out = *message.mutable_lay_off();
    out.set_as_declared(true);
    for (Mask meld : own) out.add_melds(meld);
    for (const auto& [card, meld] : layoffs) {
        v1::Layoff& laid = *out.add_layoffs();
        laid.set_card(static_cast<std::uint32_t>(number(card)));
        laid.set_meld(static_cast<std::uint32_t>(meld));
    }
    return Action(std::move(message));
}

Action State::otherwise() const {
    if (may_draw()) return draw();
    if (may_decline()) return decline();
    if (phase() == Phase::layoff) return lay_off();
    const auto card = best_discard();
    return card ? discard(*card) : take();
}

}  // namespace knockbox
