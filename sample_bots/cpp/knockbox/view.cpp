// What a seat sees at a question.
#include <limits>

#include "chance.hpp"
#include "state.hpp"

namespace knockbox {
namespace {

template <typename Numbers>
std::string listed(const Numbers& numbers) {
    std::vector<std::string> texts;
    for (auto number : numbers) texts.push_back(std::to_string(number));
    return joined(texts, ",");
}

std::string hex(const std::string& text) {
    std::string out;
    for (unsigned char byte : text) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

std::string or_none(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

State::State(std::shared_ptr<const Seat> me, std::shared_ptr<const Board> board, v1::Turn turn,
             int clock_left_ms)
    : me_(std::move(me)),
      board_(std::move(board)),
      turn_(std::move(turn)),
      clock_left_ms_(clock_left_ms) {}

std::optional<Card> State::top() const {
    if (!turn_.has_top()) return std::nullopt;
    return name(static_cast<int>(turn_.top()));
}

int State::seats() const {
    return rules().players() != 0 ? static_cast<int>(rules().players()) : 2;
}

std::vector<int> State::opponents() const {
    const int step = rules().partnership() ? 2 : seats();
    std::vector<int> found;
    for (int other = 0; other < seats(); ++other) {
        if (other % step != seat() % step) found.push_back(other);
    }
    return found;
}

std::optional<int> State::partner() const {
    if (!rules().partnership()) return std::nullopt;
    return (seat() + 2) % 4;
}

Cards State::opponent_known() const {
    Mask mask = 0;
    for (int other : opponents()) mask |= board_->known(other);
    return names(mask);
}

std::optional<Card> State::taken() const {
    const auto events = board_->events();
    if (phase() != Phase::discard || events.empty()) return std::nullopt;
    const Event& last = events.back();
    if (last.kind != Event::took || last.seat != seat()) return std::nullopt;
    return name(last.card);
}

std::vector<Spread> State::spreads() const {
    std::vector<Spread> found;
    for (const auto& spread : turn_.spreads()) found.push_back(spread_of(spread));
    return found;
}

std::vector<Cards> State::table() const {
    if (!may_lay_off()) return {};
    // The hands that are open come first. A partner is asked when both opponents have answered.
    const int open = rules().partnership() && turn_.spreads_size() == 3 ? 2 : 1;
    std::vector<Cards> melds;
    for (int at = 0; at < open && at < turn_.spreads_size(); ++at) {
        for (Mask meld : turn_.spreads(at).melds()) melds.push_back(names(meld));
    }
    return melds;
}

int State::side() const { return rules().partnership() ? seat() % 2 : seat(); }

std::vector<int> State::scores() const {
    return {deal_message().scores().begin(), deal_message().scores().end()};
}

std::vector<int> State::boxes() const {
    return {deal_message().boxes().begin(), deal_message().boxes().end()};
}

double State::clock_left() const {
    return me_->untimed ? std::numeric_limits<double>::infinity() : clock_left_ms_ / 1000.0;
}

// CRC-32 of these facts in ASCII, spaces between them.
std::uint32_t State::chance() const {
    const v1::DealStarted& deal = deal_message();
    std::vector<Mask> melds;
    for (const auto& spread : turn_.spreads()) {
        melds.insert(melds.end(), spread.melds().begin(), spread.melds().end());
    }
    const std::vector<std::string> facts = {
        std::to_string(seat()),
        std::to_string(deal.dealer()),
        std::to_string(deal.upcard()),
        std::to_string(turn_.phase()),
        std::to_string(turn_.hand()),
        or_none(hex(board_->history())),
        listed(deal.scores()),
        listed(deal.boxes()),
        or_none(listed(melds)),
    };
    return crc32(joined(facts, " "));
}

}  // namespace knockbox
