"""The well-behaved bot, which must not be hurt; and what hostile ones play with meanwhile."""

from knockbox_sdk import run


def bot(state):
    """Knock if possible, else keep the least deadwood."""
    if state.knocks:
        return state.knock(state.best_knock)
    if state.discards:
        return state.discard(state.best_discard)
    if state.may_take and state.deadwood_if_taken < state.deadwood:
        return state.take()
    return state.otherwise()


def after(number, act):
    """A bot that plays well and calls `act` once, when it is asked for the `number`th time."""
    asked = 0

    def hostile(state):
        nonlocal asked
        asked += 1
        if asked == number:
            act()
        return bot(state)

    return hostile


if __name__ == "__main__":
    run(bot)
