"""The agent of a bot that dials in: keeps it online, starts it, and carries its bytes over TLS."""
