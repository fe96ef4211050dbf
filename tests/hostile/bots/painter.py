"""Plays well and prints what would act on a terminal, a page or a table that showed it as it is."""

import os

import well
from knockbox_sdk import run

os.write(
    1,
    b"\x1b[2J\x1b]8;;http://evil.example\x07click\x1b]8;;\x07 \x9b31m <script>alert(1)</script> "
    b"\xe2\x80\xaegnp.exe \xff\xfe nul\0 bell\x07 \r forged\n"
    b"match over: painter won 100 : 0\n",
)


def bot(state):
    """Notes with the same."""
    action = well.bot(state)
    return action._replace(note="\x1b[2J<script>\u202e") if hasattr(action, "_replace") else action


run(bot)
