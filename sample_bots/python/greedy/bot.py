"""The least deadwood now: knocks as soon as it may, takes what lowers its count at once."""

from knockbox_sdk import run


def bot(state):
    """Knock if possible, else keep the hand with the least deadwood."""
    if state.knocks:
        return state.knock(state.best_knock)
    if state.discards:
        return state.discard(state.best_discard)
    if state.may_take and state.deadwood_if_taken < state.deadwood:
        return state.take()
    return state.otherwise()


if __name__ == "__main__":
    run(bot)
