"""Keeps cards that may still become melds, and feeds nothing to the player it watches."""

from knockbox_sdk import rank, run, suit

SOON = 12  # cards in the stock below which only the count matters
TAKE = 4  # points that a card from the pile must save to be worth showing what it is for


def near(card, other):
    """Two cards that one more card makes a meld of."""
    if rank(card) == rank(other):
        return True
    return suit(card) == suit(other) and abs(rank(card) - rank(other)) <= 2


def keep(state, card):
    """How much a card is worth beside the deadwood it costs, in points."""
    if state.stock < SOON:
        return 0
    gone = set(state.pile) | set(state.opponent_known)
    friends = sum(near(card, other) for other in state.hand if other != card)
    dead = sum(near(card, other) for other in gone)
    danger = sum(near(card, other) for other in state.opponent_known)
    return 2 * min(friends, 3) - dead // 2 + danger


def bot(state):
    """Knock if possible, else discard what neither costs nor promises much."""
    if state.knocks:
        return state.knock(state.best_knock)
    if state.discards:
        after = state.deadwood_after
        return state.discard(min(state.discards, key=lambda card: after[card] + keep(state, card)))
    if state.may_take and state.deadwood_if_taken <= state.deadwood - TAKE:
        return state.take()
    return state.otherwise()


run(bot)
