"""Plays on for gin while there is time, and knocks when the stock runs low."""

from knockbox_sdk import rank, run, suit

LATE = 14  # cards in the stock below which a knock is taken


def links(state, card):
    """Cards of the hand that could meld with this one."""
    return sum(
        rank(card) == rank(other)
        or (suit(card) == suit(other) and abs(rank(card) - rank(other)) == 1)
        for other in state.hand
        if other != card
    )


class GinHunter:
    """One game: after a lost race it knocks earlier."""

    def __init__(self):
        self.late = LATE

    def __call__(self, state):
        """Gin if it is there, a knock if it is late, else the discard with the fewest links."""
        if state.may_big_gin:
            return state.big_gin()
        if state.knocks:
            left = state.knocks[state.best_knock]
            if left == 0 or state.stock < self.late:
                return state.knock(state.best_knock, note=f"gin is far: {left}" if left else "gin")
        if state.discards:
            after = state.deadwood_after
            return state.discard(
                min(state.discards, key=lambda card: (after[card] + links(state, card), card))
            )
        if state.may_take and state.deadwood_if_taken < state.deadwood - 2:
            return state.take()
        return state.otherwise()

    def deal_over(self, result):
        """The other side was first: leave less time to it."""
        if result.end in ("knock", "void_stock"):
            self.late = min(self.late + 4, 28)


run(GinHunter)
