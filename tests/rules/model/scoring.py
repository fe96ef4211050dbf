"""What a deal scores, from the counts after layoffs."""

from collections.abc import Sequence
from typing import Any

from tests.rules.model.cards import count
from tests.rules.model.rulesets import Rules, from_left, side_of, sides


def knock_limit(rules: Rules, upcard: str) -> int:
    """§3: the count at or below which one may knock; 0 is gin only."""
    if rules["knock_limit"] == "gin_only":
        return 0
    if rules["knock_limit"] == "fixed":
        return rules["fixed_limit"]
    if upcard[0] == "A":
        return 1 if rules["ace_upcard"] == "limit_one" else 0
    return count([upcard])


def multiplier(rules: Rules, upcard: str) -> int:
    """§6: what a deal with a spade upcard is multiplied by."""
    return rules["spade_multiplier"] if upcard[1] == "S" else 1


def score_partners(
    rules: Rules, knocker: int, deadwood: Sequence[int], bonus: int | None
) -> tuple[int, int]:
    """§9: winning seat and plain points; `bonus` is that of a gin, None after a knock."""
    own, other = sides(rules)[knocker % 2], sides(rules)[1 - knocker % 2]
    theirs = sum(deadwood[seat] for seat in other)
    if bonus is not None:
        return knocker, bonus + theirs
    ours = sum(deadwood[seat] for seat in own)
    if ours < theirs:
        return knocker, theirs - ours
    return from_left(rules, knocker)[0], rules["undercut_bonus"] + ours - theirs


def score_alone(
    rules: Rules, knocker: int, deadwood: Sequence[int], bonus: int | None
) -> tuple[int, int]:
    """§6, §8: winning seat and plain points, the sum of what every loser settles."""
    others = from_left(rules, knocker)
    winner = knocker
    if bonus is None:
        lowest = min(deadwood[seat] for seat in others)
        if lowest <= deadwood[knocker]:
            winner = next(seat for seat in others if deadwood[seat] == lowest)
    points = 0
    for loser in range(rules["players"]):
        if loser != winner:
            points += deadwood[loser] - deadwood[winner]
            points += bonus or 0
            if winner != knocker and loser == knocker:
                points += rules["undercut_bonus"]
    return winner, points


def score_deal(
    rules: Rules, dealer: int, upcard: str, knocker: int, deadwood: Sequence[int], big: bool
) -> dict[str, Any]:
    """§2, §6, §8, §9: the outcome of a deal that is not void, from the counts after layoffs."""
    gin = deadwood[knocker] == 0
    bonus = rules["big_gin_bonus"] if big else rules["gin_bonus"] if gin else None
    score = score_partners if rules["partnership"] else score_alone
    seat, plain = score(rules, knocker, deadwood, bonus)
    side = side_of(rules, seat)
    undercut = side != side_of(rules, knocker)
    points = [0] * len(sides(rules))
    points[side] = plain * multiplier(rules, upcard)
    following = seat if rules["next_dealer"] == "winner_deals" else from_left(rules, dealer)[0]
    return {
        "end": "big_gin" if big else "gin" if gin else "undercut" if undercut else "knock",
        "reason": "",
        "winner": side,
        "deadwood": list(deadwood),
        "points": points,
        "next_dealer": following,
    }


def void_deal(rules: Rules, dealer: int, reason: str) -> dict[str, Any]:
    """§2, §6: a void deal scores nothing."""
    following = dealer if rules["void_dealer"] == "same" else from_left(rules, dealer)[0]
    return {
        "end": "void",
        "reason": reason,
        "winner": None,
        "deadwood": None,
        "points": [0] * len(sides(rules)),
        "next_dealer": following,
    }
