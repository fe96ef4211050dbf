"""How large a match may be, whoever asks for it."""

UNITS_MOST = 1024
BOARDS_MOST = 256
"""Games in flight at once."""
