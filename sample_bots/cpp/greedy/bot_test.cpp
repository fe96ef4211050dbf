// What the bot answers to a few questions: `make test`.
#include <iostream>

#include "bot.hpp"

using knockbox::Phase;
using knockbox::Question;

namespace {

const char* const ELEVEN = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S";
const char* const TEN = "AC 2C 3C 5C 4D QD 4H 7S 8S KS";
int failures = 0;

void answers(const char* promise, const Question& question, const std::string& due) {
    const std::string answer = bot(question.state()).text();
    if (answer == due) return;
    std::cerr << "fails: " << promise << ": it says " << answer << ", not " << due << "\n";
    ++failures;
}

}  // namespace

int main() {
    answers("of two knocks the one that leaves less",
            {.phase = Phase::discard, .hand = ELEVEN, .discards = {{"QD", 10}, {"KC", 10}},
             .knocks = {{"QD", 9}, {"KC", 8}}},
            "knock KC");
    answers("where two discards leave the same, the higher card goes",
            {.phase = Phase::discard, .hand = ELEVEN,
             .discards = {{"9S", 30}, {"QD", 22}, {"KC", 22}}},
            "discard KC");
    answers("the top of the pile where it helps",
            {.hand = TEN, .top = "6C", .deadwood = 41, .deadwood_if_taken = 31}, "take");
    answers("else a card from the stock",
            {.hand = TEN, .top = "KH", .deadwood = 41, .deadwood_if_taken = 41}, "draw");
    answers("the first card on offer is declined where it does not help",
            {.phase = Phase::offer, .hand = TEN, .top = "KH", .deadwood = 41,
             .deadwood_if_taken = 41},
            "decline");
    std::cout << (failures == 0 ? "all tests pass\n" : "");
    return failures == 0 ? 0 : 1;
}
