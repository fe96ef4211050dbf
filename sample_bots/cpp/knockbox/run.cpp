#include "run.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "leg.hpp"
#include "play.hpp"

namespace knockbox {
namespace {

constexpr const char* BY_HAND =
    "This program is a Knockbox bot: Knockbox starts it and tells it where the referee is\n"
    "(KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:\n\n"
    "    knockbox match THIS_FOLDER OTHER_BOTS_FOLDER";

// One function that plays all games.
class Function : public Bot {
public:
    explicit Function(const std::function<Action(const State&)>& bot) : bot_(bot) {}
    Action decide(const State& state) override { return bot_(state); }

private:
    const std::function<Action(const State&)>& bot_;
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

int run(const std::function<Action(const State&)>& bot, const Wishes& wishes) {
    return run_each([&bot] { return std::make_unique<Function>(bot); }, wishes);
}

int run_each(const std::function<std::unique_ptr<Bot>()>& make, const Wishes& wishes) {
    // Lines that a bot prints are seen at once, into a pipe too.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    const std::string address = variable("KNOCKBOX_REFEREE");
    const std::string ticket = variable("KNOCKBOX_TICKET");
    if (address.empty() || ticket.empty()) {
        std::cerr << BY_HAND << std::endl;
        return 1;
    }
    try {
        Leg leg(make, wishes);
        play(leg, address, ticket);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}

}  // namespace knockbox
