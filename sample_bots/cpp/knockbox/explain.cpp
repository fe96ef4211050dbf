#include "explain.hpp"

#include <algorithm>

namespace knockbox::explain {
namespace {

bool contains(const Cards& cards, Card card) {
    return std::find(cards.begin(), cards.end(), card) != cards.end();
}

// What the state would take, in one line.
std::string choices(const State& state) {
    std::vector<std::string> legal;
    if (state.may_decline()) legal.emplace_back("decline()");
    if (state.may_take()) legal.push_back("take() " + std::string(state.top().value_or("")));
    if (state.may_draw()) legal.emplace_back("draw()");
    if (state.may_big_gin()) legal.emplace_back("big_gin()");
    if (!state.discards().empty()) {
        legal.push_back("discard() one of " + joined(state.discards(), " "));
    }
    if (state.options().knocks() != 0) {
        legal.push_back("knock() with one of " + joined(names(state.options().knocks()), " "));
    }
    if (state.phase() == Phase::layoff) legal.emplace_back("lay_off()");
    if (legal.empty()) legal.emplace_back("do nothing");
    return "in phase " + phase_word(state) + " you may " + joined(legal, ", or ");
}

// Where a card is, as far as the seat knows.
std::string whereabouts(const State& state, Card card) {
    if (state.taken() == card) return "was taken from the pile in this turn";
    if (contains(state.hand(), card)) return "is in your hand";
    const Cards pile = state.pile();
    const auto found = std::find(pile.rbegin(), pile.rend(), card);
    if (found != pile.rend()) {
        const auto below = found - pile.rbegin();
        if (below == 0) return "is the top of the discard pile";
        return "lies " + std::to_string(below) + " deep in the pile";
    }
    if (contains(state.opponent_known(), card)) {
        return "is in an opponent's hand, taken from the pile";
    }
    return "is not in your hand, and you have not seen it";
}

std::string melds_on_the_table(const State& state) {
    std::vector<std::string> melds;
    for (const Cards& cards : state.table()) {
        melds.push_back(std::to_string(melds.size()) + ": " + joined(cards, " "));
    }
    return joined(melds, "; ");
}

}  // namespace

std::string phase_word(const State& state) {
    return word(v1::Phase_Name(state.turn().phase()), "PHASE_");
}

IllegalAction not_now(const State& state, const std::string& kind) {
    return IllegalAction(kind + " is not legal now: " + choices(state));
}

IllegalAction refused_card(const State& state, const std::string& kind, Card card) {
    std::string text =
        "cannot " + kind + " " + std::string(card) + ": it " + whereabouts(state, card);
    if (kind == "knock" && contains(state.discards(), card)) {
        text += state.limit() != 0 ? ", and the limit is " + std::to_string(state.limit())
                                   : ", and only gin ends this deal";
        for (const auto& [each, left] : state.deadwood_after()) {
            if (each == card) text += ", it would leave " + std::to_string(left);
        }
    }
    return IllegalAction(text + "; " + choices(state));
}

void check_layoffs(const State& state, const Layoffs& layoffs, const std::vector<Mask>& own) {
    const int melds = static_cast<int>(state.table().size());
    for (const auto& [card, meld] : layoffs) {
        const int at = number(card);
        const std::string cannot = "cannot lay off " + std::string(card);
        if (!has(state.turn().hand(), at)) {
            throw IllegalAction(cannot + ": it " + whereabouts(state, card));
        }
        if (std::any_of(own.begin(), own.end(), [at = at](Mask mask) { return has(mask, at); })) {
            throw IllegalAction(cannot + ": it is in one of your own melds");
        }
        if (meld < 0 || meld >= melds) {
            throw IllegalAction(cannot + " on meld " + std::to_string(meld) +
                                "; on the table are " + melds_on_the_table(state));
        }
    }
}

IllegalAction no_answer(const State& state, const Action& action) {
    return IllegalAction("the bot answered with an answer to another question (" + action.text() +
                         "); give back what one of the state's makers makes, like state.draw(): " +
                         choices(state));
}

std::string context(const State& state) {
    Cards pile = state.pile();
    if (pile.size() > 5) pile.erase(pile.begin(), pile.end() - 5);
    return "(asked in deal " + std::to_string(state.deal()) + ", phase " + phase_word(state) +
           ": hand " + joined(state.hand(), " ") + "; pile …" + joined(pile, " ") + "; " +
           choices(state) + ")";
}

std::string refusal(const Action* answer, const std::string& code) {
    const std::string what = answer != nullptr ? "answer " + answer->text() : "message";
    const bool arranged = answer != nullptr && answer->arranges();
    const char* melds = "; are its melds sets and runs, and do they leave as much as you think?";
    return "knockbox: the referee refused the " + what + " (" + code + ")" +
           (arranged ? melds : "");
}

}  // namespace knockbox::explain
