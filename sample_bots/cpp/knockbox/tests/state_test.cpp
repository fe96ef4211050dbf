// What a bot is asked with: names for people, errors that help, and the line of JSON.
#include <iostream>
#include <sstream>

#include "knockbox/chance.hpp"
#include "knockbox/knockbox.hpp"

using namespace knockbox;

namespace {

int failures = 0;

template <typename Value>
void is(const char* promise, const Value& found, const Value& due) {
    if (found == due) return;
    std::cerr << "fails: " << promise << "\n";
    ++failures;
}

void is(const char* promise, const std::string& found, const std::string& due) {
    if (found == due) return;
    std::cerr << "fails: " << promise << "\n  is   " << found << "\n  due  " << due << "\n";
    ++failures;
}

// The error of an answer that cannot be has these words.
template <typename Make>
void fails(const Make& make, const std::string& words) {
    try {
        (void)make();
        is("it is refused", std::string("no error"), words);
    } catch (const IllegalAction& error) {
        const std::string text = error.what();
        if (text.find(words) == std::string::npos) is("an error helps", text, words);
    }
}

Mask mask(const std::string& cards) {
    std::istringstream words(cards);
    Mask all = 0;
    for (std::string card; words >> card;) all |= bit(number(card));
    return all;
}

std::string event(int kind, int seat, const char* card) {
    const int shown = *card != 0 ? number(card) : 255;
    return {static_cast<char>(kind * 16 + seat), static_cast<char>(shown)};
}

State seated(int seat, const Ruleset& rules, const v1::Turn& turn) {
    v1::DealStarted deal;
    deal.set_upcard(static_cast<std::uint32_t>(number("9H")));
    deal.set_knock_limit(9);
    auto board = std::make_shared<Board>();
    board->begin(deal);
    board->hear(turn);
    return {std::make_shared<Seat>(Seat{seat, rules, false}), board, turn, 1500};
}

State asked(const v1::Turn& turn) {
    Ruleset rules;
    rules.set_players(2);
    return seated(0, rules, turn);
}

v1::Turn discard_turn() {
    v1::Turn turn;
    turn.set_decision(7);
    turn.set_phase(v1::PHASE_DISCARD);
    turn.set_hand(mask("AC 2C 3C 4D 4H 4S 7S 8S 9S KC QD"));
    turn.set_top(static_cast<std::uint32_t>(number("9H")));
    turn.mutable_options()->set_discards(turn.hand() & ~mask("QD"));
    turn.mutable_options()->set_discard_deadwood("\x14\x15\x16\x0a\x1e\x1f\x20\x21\x22\x23");
    turn.mutable_options()->set_knocks(mask("KC"));
    turn.mutable_options()->set_knock_deadwood("\x0a");
    return turn;
}

void events_tell_the_pile_and_known_cards() {
    v1::Turn turn;
    turn.set_phase(v1::PHASE_DRAW);
    turn.set_events(event(Event::took, 1, "9H") + event(Event::discarded, 1, "KC") +
                    event(Event::drew, 0, "") + event(Event::discarded, 0, "2D") +
                    event(Event::took, 1, "2D") + event(Event::discarded, 1, "9H"));
    const State state = asked(turn);
    is("the pile", joined(state.pile(), " "), "KC 9H");
    is("known cards", joined(state.opponent_known(), " "), "2D");
    is("the history", joined(state.history(), ", "),
       "seat 1 took 9H, seat 1 discarded KC, seat 0 drew, seat 0 discarded 2D, seat 1 took 2D, "
       "seat 1 discarded 9H");
}

void a_question_that_comes_again_is_told_once() {
    Board board;
    board.begin({});
    v1::Turn turn;
    turn.set_decision(4);
    turn.set_events(event(Event::discarded, 1, "KC"));
    board.hear(turn);
    board.hear(turn);
    is("a repeated question adds nothing", joined(board.pile(), " "), "AC KC");
    board.begin({});
    board.hear(turn);
    is("a deal told again replaces it", joined(board.pile(), " "), "AC KC");
}

void what_cannot_be_says_why_and_what_can() {
    const State state = asked(discard_turn());
    fails([&] { return state.discard("5H"); }, "5H: it is not in your hand, and you have not seen");
    fails([&] { return state.discard("5H"); }, "you may discard() one of AC 2C 3C KC 4D");
    fails([&] { return state.discard("9H"); }, "9H: it is the top of the discard pile");
    fails([&] { return state.knock("AC"); }, "and the limit is 9, it would leave 20");
    fails([&] { return state.draw(); }, "draw is not legal now: in phase discard you may");
    fails([&] { return state.discard("10H"); }, "\"10H\" is not a card");
    fails([&] { return state.knock("KC", {{"AC", "2H"}}); }, "2H is not in your hand");
    fails([&] { return state.knock("KC", {{"KC"}}); }, "KC is the card you discard");
    fails([&] { return state.knock("KC", {{"AC"}, {"AC"}}); }, "AC is in two melds");
    fails([&] { return state.draw().note("x"); }, "draw is not legal");
    fails([&] { return state.discard("KC").note(std::string(201, 'x')); }, "this one has 201");
    fails([&] { return state.lay_off(); }, "lay_off is not legal");
    v1::Turn turn = discard_turn();
    turn.set_events(event(Event::took, 1, "9H"));  // which leaves nothing on the pile
    fails([&] { return asked(turn).discard("5H"); }, "not in your hand, and you have not seen it");
    turn.set_events(event(Event::discarded, 1, "QD") + event(Event::took, 0, "QD"));
    fails([&] { return asked(turn).discard("QD"); }, "QD: it was taken from the pile in this turn");
}

void answers_are_what_they_say() {
    const State state = asked(discard_turn());
    is("every legal answer", state.legal().size(), std::size_t{11});
    const Action knock = state.knock("KC", {{"AC", "2C", "3C"}, {"4D", "4H", "4S"}}).note("near");
    is("a knock", knock.text(), "knock KC [AC 2C 3C] [4D 4H 4S]");
    is("its note", knock.message().note(), "near");
    is("its question", knock.message().decision(), 7U);
    v1::Turn turn;
    turn.set_phase(v1::PHASE_LAYOFF);
    turn.set_hand(mask("4C 5C 9D"));
    turn.mutable_options()->set_may_lay_off(true);
    turn.add_spreads()->add_melds(mask("AC 2C 3C"));
    const State layoff = asked(turn);
    const Action action = layoff.lay_off({}, {{"4C", 0}, {"5C", 0}});
    is("a layoff", action.text(), "lay_off 4C>0 5C>0");
    is("it is declared", action.message().lay_off().as_declared(), true);
    is("an empty one is not", layoff.lay_off().message().lay_off().as_declared(), false);
    fails([&] { return layoff.lay_off({}, {{"4C", 1}}); }, "meld 1; on the table are 0: AC 2C 3C");
}

void who_plays_with_whom() {
    Ruleset rules;
    rules.set_players(4);
    is("alone", seated(3, rules, {}).opponents(), {0, 1, 2});
    rules.set_partnership(true);
    const State state = seated(3, rules, {});
    is("opponents", state.opponents(), {0, 2});
    is("partner and side", std::pair(state.partner().value(), state.side()), std::pair(1, 1));
}

void a_question_is_one_line_of_json() {
    is("CRC-32", crc32("123456789"), 0xCBF43926U);
    const Question question{.phase = Phase::discard, .hand = "AC 2C", .top = "KD",
                            .discards = {{"AC", 2}}};
    const State state = question.state();
    is("the line", state.json(),
       R"({"board":0,"deal":1,"seat":0,"dealer":1,"phase":"discard","hand":["AC","2C"],"top":"KD",)"
       R"("pile":["KD"],"stock":20,"upcard":"KD","taken":null,"limit":10,"multiplier":1,)"
       R"("scores":[0,0],"boxes":[0,0],"may_take":false,"may_draw":false,"may_decline":false,)"
       R"("may_big_gin":false,"may_lay_off":false,"deadwood":2,"deadwood_if_taken":null,)"
       R"("discards":{"AC":2},"knocks":{},"best_discard":"AC","best_knock":null,"known":[[],[]],)"
       R"("spreads":[],"table":[],"history":[],"chance":)" +
           std::to_string(state.chance()) + R"(,"clock_left_ms":5000})");
}

}  // namespace

int main() {
    events_tell_the_pile_and_known_cards();
    a_question_that_comes_again_is_told_once();
    what_cannot_be_says_why_and_what_can();
    answers_are_what_they_say();
    who_plays_with_whom();
    a_question_is_one_line_of_json();
    std::cout << (failures == 0 ? "all tests pass\n" : "");
    return failures == 0 ? 0 : 1;
}
