// Writes every question as a line, and answers by what it sees alone.
#include <iostream>
#include <memory>

#include "knockbox/knockbox.hpp"

namespace {

std::string list(const std::vector<int>& numbers) {
    std::vector<std::string> texts;
    for (int number : numbers) texts.push_back(std::to_string(number));
    return "[" + knockbox::joined(texts, ",") + "]";
}

class Conformance : public knockbox::Bot {
public:
    knockbox::Action decide(const knockbox::State& state) override {
        std::cout << state.json() << '\n';
        const auto legal = state.legal();
        return legal[state.chance() % legal.size()];
    }

    void deal_over(const knockbox::DealResult& result) override {
        std::cout << R"({"deal_over":{"board":)" << result.board << R"(,"deal":)" << result.deal
                  << R"(,"end":")" << result.end << R"(","winner":)"
                  << (result.winner ? std::to_string(*result.winner) : "null") << R"(,"points":)"
                  << list(result.points) << R"(,"deadwood":)" << list(result.deadwood) << "}}\n";
    }
};

}  // namespace

int main() {
    return knockbox::run_each([] { return std::make_unique<Conformance>(); });
}
