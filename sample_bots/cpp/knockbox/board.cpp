#include "board.hpp"

#include <algorithm>
#include <cctype>

namespace knockbox {

Spread spread_of(const v1::Spread& message) {
    Spread spread{static_cast<int>(message.seat()), {}, names(message.unmatched()),
                  static_cast<int>(message.deadwood())};
    for (Mask meld : message.melds()) spread.melds.push_back(names(meld));
    return spread;
}

DealResult result_of(const v1::DealOver& message) {
    DealResult result;
    result.board = static_cast<int>(message.board());
    result.deal = static_cast<int>(message.deal());
    result.end = word(v1::DealEnd_Name(message.end()), "DEAL_END_");
    if (message.has_winner()) result.winner = static_cast<int>(message.winner());
    result.points.assign(message.points().begin(), message.points().end());
    result.deadwood = bytes(message.deadwood());
    for (const auto& spread : message.spreads()) result.hands.push_back(spread_of(spread));
    return result;
}

std::string word(const std::string& name, std::string_view prefix) {
    std::string out = name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return out;
}

std::vector<int> bytes(const std::string& text) {
    std::vector<int> out;
    for (unsigned char byte : text) out.push_back(byte);
    return out;
}

void Board::begin(const v1::DealStarted& deal) {
    deal_ = deal;
    history_ = deal.events();
    answered_.reset();
}

void Board::hear(const v1::Turn& turn) {
    if (answered_ == turn.decision()) return;
    answered_ = turn.decision();
    history_ += turn.events();
}

std::vector<Event> Board::events() const {
    const std::vector<int> told = bytes(history_);
    std::vector<Event> events;
    for (std::size_t at = 0; at + 1 < told.size(); at += 2) {
        const int card = told[at + 1];
        events.push_back({told[at] >> 4, told[at] & 15, card < 52 ? card : -1});
    }
    return events;
}

Cards Board::pile() const {
    Cards pile = {name(static_cast<int>(deal_.upcard()))};
    for (const Event& event : events()) {
        if (event.kind == Event::discarded) pile.push_back(name(event.card));
        if (event.kind == Event::took) pile.pop_back();
        if (event.kind == Event::shuffled) pile.erase(pile.begin(), pile.end() - 1);
    }
    return pile;
}

Mask Board::known(int seat) const {
    Mask mask = 0;
    for (const Event& event : events()) {
        if (event.seat != seat) continue;
        if (event.kind == Event::took) mask |= bit(event.card);
        if (event.kind == Event::discarded) mask &= ~bit(event.card);
    }
    return mask;
}

std::vector<std::string> Board::story() const {
    static const char* const verbs[] = {"", "declined", "took", "drew", "discarded"};
    std::vector<std::string> lines;
    for (const Event& event : events()) {
        const bool plain = event.kind >= Event::declined && event.kind <= Event::discarded;
        std::string line = "seat " + std::to_string(event.seat) + " " +
                           (plain ? verbs[event.kind] : "shuffled");
        if (event.card >= 0) line += " " + std::string(name(event.card));
        lines.push_back(line);
    }
    return lines;
}

}  // namespace knockbox
