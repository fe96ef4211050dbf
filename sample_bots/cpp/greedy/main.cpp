#include "bot.hpp"

int main() { return knockbox::run(bot); }
