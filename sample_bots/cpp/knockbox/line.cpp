// A question as one line of JSON: for logs, for tests, and for programs behind the bridge.
//
// Every SDK writes the very same bytes: ASCII without spaces, the keys in this order, each always
// there. All texts are the SDK's own words, so none needs escaping.
#include "explain.hpp"
#include "state.hpp"

namespace knockbox {
namespace {

using Field = std::pair<std::string_view, std::string>;

std::string json(bool value) { return value ? "true" : "false"; }
std::string json(int value) { return std::to_string(value); }
std::string json(std::uint32_t value) { return std::to_string(value); }
std::string json(std::string_view value) { return "\"" + std::string(value) + "\""; }
std::string json(const std::string& value) { return json(std::string_view(value)); }
std::string json(const Spread& spread);

std::string object(const std::vector<Field>& fields) {
    std::vector<std::string> written;
    for (const auto& [key, value] : fields) written.push_back(json(key) + ":" + value);
    return "{" + joined(written, ",") + "}";
}

template <typename Value>
std::string json(const std::optional<Value>& value) {
    return value ? json(*value) : "null";
}

template <typename Value>
std::string json(const std::vector<Value>& values) {
    std::vector<std::string> written;
    for (const auto& value : values) written.push_back(json(value));
    return "[" + joined(written, ",") + "]";
}

std::string json(const Spread& spread) {
    return object({
        {"seat", json(spread.seat)},
        {"melds", json(spread.melds)},
        {"unmatched", json(spread.unmatched)},
        {"deadwood", json(spread.deadwood)},
    });
}

// Each card with its number; null where there is none.
std::string counts(const Cards& cards, const Counted& numbers) {
    std::vector<Field> fields;
    for (std::size_t at = 0; at < cards.size(); ++at) {
        fields.emplace_back(cards[at], at < numbers.size() ? json(numbers[at].second) : "null");
    }
    return object(fields);
}

}  // namespace

std::string State::json() const {
    std::vector<Cards> known_cards;
    for (int each = 0; each < seats(); ++each) known_cards.push_back(known(each));
    using knockbox::json;
    return object({
        {"board", json(board())},
        {"deal", json(deal())},
        {"seat", json(seat())},
        {"dealer", json(dealer())},
        {"phase", json(explain::phase_word(*this))},
        {"hand", json(hand())},
        {"top", json(top())},
        {"pile", json(pile())},
        {"stock", json(stock())},
        {"upcard", json(upcard())},
        {"taken", json(taken())},
        {"limit", json(limit())},
        {"multiplier", json(multiplier())},
        {"scores", json(scores())},
        {"boxes", json(boxes())},
        {"may_take", json(may_take())},
        {"may_draw", json(may_draw())},
        {"may_decline", json(may_decline())},
        {"may_big_gin", json(may_big_gin())},
        {"may_lay_off", json(may_lay_off())},
        {"deadwood", json(deadwood())},
        {"deadwood_if_taken", may_take() ? json(deadwood_if_taken()) : "null"},
        {"discards", counts(discards(), deadwood_after())},
        {"knocks", counts(names(options().knocks()), knocks())},
        {"best_discard", json(best_discard())},
        {"best_knock", json(best_knock())},
        {"known", json(known_cards)},
        {"spreads", json(spreads())},
        {"table", json(table())},
        {"history", json(history())},
        {"chance", json(chance())},
        {"clock_left_ms", me_->untimed ? "null" : json(clock_left_ms_)},
    });
}

}  // namespace knockbox
