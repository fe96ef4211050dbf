"""Which version of the bots' protocol is spoken here, as a bot names it in its Join."""

PROTOCOL = 1
