// Plays a leg over the wire: connects, and comes again where the connection is lost.
#pragma once

#include <string>

#include "leg.hpp"

namespace knockbox {

// Play a leg to its end. Throws std::runtime_error where there is none, and what the bot throws.
void play(Leg& leg, const std::string& address, const std::string& ticket);

}  // namespace knockbox
