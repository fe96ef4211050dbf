"""Any legal answer, by chance. The chance comes from what the bot sees, so a match repeats."""

from knockbox_sdk import run


def bot(state):
    """One of the legal answers."""
    return state.legal[state.chance % len(state.legal)]


run(bot)
