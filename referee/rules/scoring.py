"""What a deal is worth: from the deadwood of every seat to the points of every side."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.rules.cards import VALUE
from referee.rules.fields import Ruleset

_SPADES: Final = 39
_ACE: Final = 0


class Outcome(NamedTuple):
    """How a deal ended. A side is an index into `Ruleset.sides`."""

    end: str  # "knock", "gin", "big_gin", "undercut", "void"
    reason: str  # of a void deal: "stock", "turn_cap"; else ""
    winner: int | None  # side; None when void
    deadwood: tuple[int, ...]  # by seat, after layoffs; () when void
    points: tuple[int, ...]  # by side
    next_dealer: int  # seat


def limit_of(rules: Ruleset, upcard: int) -> int:
    """The deadwood that may knock in a deal with this upcard, 1-10; 0 where only gin may."""
    if rules.knock_limit == "gin_only":
        return 0
    if rules.fixed_limit is not None:
        return rules.fixed_limit
    if upcard % 13 == _ACE:
        return 1 if rules.ace_upcard == "limit_one" else 0
    return VALUE[upcard]


def multiplier_of(rules: Ruleset, upcard: int) -> int:
    """The factor on everything that a deal with this upcard scores."""
    return rules.spade_multiplier if upcard >= _SPADES else 1


def void(rules: Ruleset, dealer: int, reason: str) -> Outcome:
    """The outcome of a deal that nobody won."""
    dealer_next = rules.left_of(dealer)[0] if rules.void_dealer == "next" else dealer
    return Outcome("void", reason, None, (), (0,) * len(rules.sides), dealer_next)


def settle(
    rules: Ruleset,
    dealer: int,
    multiplier: int,
    knocker: int,
    deadwood: Sequence[int],
    big_gin: bool = False,
) -> Outcome:
    """The outcome of a deal that `knocker` ended, from the deadwood of each seat after layoffs.

    No deadwood of the knocker's own is gin. A side's deadwood is the sum of its seats'; after gin
    it is none for the gin player's side, whatever a partner holds.
    """
    gin = big_gin or deadwood[knocker] == 0
    own = rules.side_of[knocker]
    # The other sides, in turn order from the knocker's left.
    others = list(dict.fromkeys(rules.side_of[seat] for seat in rules.left_of(knocker)))
    if own in others:
        others.remove(own)
    count = [sum(deadwood[seat] for seat in seats) for seats in rules.sides]
    if gin:
        count[own] = 0
    lowest = min(others, key=count.__getitem__)
    winner = own if gin or count[own] < count[lowest] else lowest
    score = sum(count) - count[winner] * len(count)
    if gin:
        bonus = rules.big_gin_bonus if big_gin else rules.gin_bonus
        score += (bonus or 0) * len(others)
    elif winner != own:
        score += rules.undercut_bonus
    points = [0] * len(rules.sides)
    points[winner] = score * multiplier
    end = "big_gin" if big_gin else "gin" if gin else "knock" if winner == own else "undercut"
    return Outcome(
        end,
        "",
        winner,
        tuple(deadwood),
        tuple(points),
        _next_dealer(rules, dealer, knocker, winner),
    )


def _next_dealer(rules: Ruleset, dealer: int, knocker: int, winner: int) -> int:
    if rules.next_dealer == "rotate":
        return rules.left_of(dealer)[0]
    in_turn = (knocker, *rules.left_of(knocker))
    return next(seat for seat in in_turn if rules.side_of[seat] == winner)
