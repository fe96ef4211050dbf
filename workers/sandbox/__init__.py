"""Where hostile programs are read, started and ended. The only place that runs a bot's program."""
