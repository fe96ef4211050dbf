#include "actions.hpp"

namespace knockbox {
namespace {

template <typename Masks>
std::string brackets(const Masks& melds) {
    std::string out;
    for (Mask meld : melds) out += " [" + joined(names(meld), " ") + "]";
    return out;
}

std::string layoffs(const v1::LayOff& message) {
    std::string out;
    for (const auto& one : message.layoffs()) {
        const std::string card(name(static_cast<int>(one.card())));
        out += " " + card + ">" + std::to_string(one.meld());
    }
    return out;
}

std::string with_card(const char* kind, std::uint32_t card) {
    return std::string(kind) + " " + std::string(name(static_cast<int>(card)));
}

}  // namespace

Action Action::note(const std::string& text) const {
    if (text.size() > 200) {
        throw IllegalAction("a note has at most 200 bytes, this one has " +
                            std::to_string(text.size()));
    }
    v1::Action noted = message_;
    noted.set_note(text);
    return Action(std::move(noted));
}

std::string Action::text() const {
    switch (message_.choice_case()) {
        case v1::Action::kDecline: return "decline";
        case v1::Action::kTake: return "take";
        case v1::Action::kDraw: return "draw";
        case v1::Action::kDiscard: return with_card("discard", message_.discard().card());
        case v1::Action::kKnock:
            return with_card("knock", message_.knock().card()) + brackets(message_.knock().melds());
        case v1::Action::kBigGin: return "big_gin" + brackets(message_.big_gin().melds());
        case v1::Action::kLayOff:
            return "lay_off" + brackets(message_.lay_off().melds()) + layoffs(message_.lay_off());
        case v1::Action::CHOICE_NOT_SET: break;
    }
    return "nothing";
}

bool Action::arranges() const {
    return message_.knock().melds_size() > 0 || message_.big_gin().melds_size() > 0 ||
           message_.lay_off().as_declared();
}

std::vector<Mask> meld_masks(const Melds& melds, Mask hand, int without) {
    std::vector<Mask> masks;
    Mask used = 0;
    for (const Cards& meld : melds) {
        Mask mask = 0;
        for (Card card : meld) {
            const int at = number(card);
            const std::string name(card);
            if (!has(hand, at)) {
                throw IllegalAction(name + " is not in your hand: " + joined(names(hand), " "));
            }
            if (at == without) {
                throw IllegalAction(name + " is the card you discard; it cannot be in a meld");
            }
            if (has(used, at)) throw IllegalAction(name + " is in two melds");
            used |= bit(at);
            mask |= bit(at);
        }
        masks.push_back(mask);
    }
    return masks;
}

}  // namespace knockbox
