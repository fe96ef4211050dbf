// The bot, for main.cpp and for its test.
#pragma once

#include "knockbox/knockbox.hpp"

knockbox::Action bot(const knockbox::State& state);
