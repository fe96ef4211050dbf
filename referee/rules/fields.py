"""A ruleset: every field of the family of games, resolved, and the values that make no sense.

The engine branches on these fields and never on a preset's name. Named rulesets, and how one is
asked for, are in `ruleset`. Fields and their meaning: docs/rules.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final


class RulesetError(ValueError):
    """A ruleset that is refused; `field` names what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True)
class Ruleset:
    """All fields. Off and none are None, except for `shutout` ("none") and `layoff` ("off")."""

    preset: str
    knock_limit: str  # "upcard", "fixed", "gin_only"
    fixed_limit: int | None  # 1-10 with "fixed"
    ace_upcard: str | None  # "gin_only", "limit_one", with "upcard"
    first_turn: str  # "offer", "normal"
    gin_bonus: int
    undercut_bonus: int
    spade_multiplier: int
    stock_end: str  # "void_at_two", "reshuffle"
    next_dealer: str  # "winner_deals", "rotate"
    void_dealer: str  # "same", "next"
    target: int | None  # None: one deal is the game
    game_bonus: int
    box_bonus: int
    shutout: str  # "none", "double_total"
    knock_discard_face_down: bool
    players: int = 2
    partnership: bool = False
    hand_size: int = 10
    layoff: str = "defenders"  # "defenders", "off", "knockers_partner", "all"
    columns: int = 1
    ace_high_runs: bool = False
    may_return_taken_card: bool = False
    big_gin_bonus: int | None = None
    turn_cap: int = 200
    deal_cap: int = 100

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side; who wins together."""
        if self.partnership:
            half = self.players // 2
            return tuple((seat, seat + half) for seat in range(half))
        return tuple((seat,) for seat in range(self.players))

    @cached_property
    def side_of(self) -> tuple[int, ...]:
        """The side of each seat."""
        side_of = [0] * self.players
        for side, seats in enumerate(self.sides):
            for seat in seats:
                side_of[seat] = side
        return tuple(side_of)

    def left_of(self, seat: int) -> tuple[int, ...]:
        """The other seats in turn order, from the left of `seat`."""
        return self._left_of[seat]

    @cached_property
    def _left_of(self) -> tuple[tuple[int, ...], ...]:
        seats = range(self.players)
        return tuple((*seats[seat + 1 :], *seats[:seat]) for seat in seats)


_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "knock_limit": ("upcard", "fixed", "gin_only"),
    "ace_upcard": ("gin_only", "limit_one"),
    "first_turn": ("offer", "normal"),
    "stock_end": ("void_at_two", "reshuffle"),
    "next_dealer": ("winner_deals", "rotate"),
    "void_dealer": ("same", "next"),
    "shutout": ("none", "double_total"),
    "layoff": ("defenders", "off", "knockers_partner", "all"),
}
_SWITCHES: Final = frozenset(
    ("partnership", "knock_discard_face_down", "ace_high_runs", "may_return_taken_card")
)
# The upper bounds keep every total of a match within 32 bits.
_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "players": (2, 4),
    "hand_size": (7, 10),
    "fixed_limit": (1, 10),
    "gin_bonus": (0, 10_000),
    "undercut_bonus": (0, 10_000),
    "big_gin_bonus": (0, 10_000),
    "spade_multiplier": (1, 100),
    "target": (1, 1_000_000),
    "game_bonus": (0, 10_000),
    "box_bonus": (0, 10_000),
    "columns": (1, 3),
    "turn_cap": (1, 10_000),
    "deal_cap": (1, 10_000),
}
_NULLABLE: Final = frozenset(("target", "big_gin_bonus", "ace_upcard", "fixed_limit"))
FIELDS: Final = tuple(field.name for field in fields(Ruleset))


def validate(rules: Ruleset) -> None:
    """Raise RulesetError, naming the field, unless the ruleset makes sense as it stands."""
    for field in FIELDS:
        _check_value(field, getattr(rules, field))
    if rules.partnership and rules.players != 4:
        raise RulesetError("partnership", "partners need four players")
    if rules.columns == 2:
        raise RulesetError("columns", "there is 1 column, or 3")
    if rules.columns == 3 and rules.target is None:
        raise RulesetError("columns", "three columns need a target")
    if rules.knock_limit == "fixed" and rules.fixed_limit is None:
        raise RulesetError("fixed_limit", 'knock_limit "fixed" needs it')
    if rules.knock_limit != "fixed" and rules.fixed_limit is not None:
        raise RulesetError("fixed_limit", 'only knock_limit "fixed" has one')
    if rules.knock_limit == "upcard" and rules.ace_upcard is None:
        raise RulesetError("ace_upcard", 'knock_limit "upcard" needs it')
    if rules.knock_limit != "upcard" and rules.ace_upcard is not None:
        raise RulesetError("ace_upcard", 'only knock_limit "upcard" reads the upcard')
    if rules.knock_limit == "gin_only" and rules.undercut_bonus:
        raise RulesetError("undercut_bonus", "without a knock nobody is undercut: it must be 0")
    if rules.layoff in ("knockers_partner", "all") and not rules.partnership:
        raise RulesetError("layoff", f'"{rules.layoff}" needs a partnership')


def to_json(rules: Ruleset) -> dict[str, Any]:
    """Every field under its name, as `resolve` reads it."""
    return asdict(rules)


def _check_value(field: str, value: object) -> None:
    """Raise RulesetError unless `field` may have this value at all."""
    if field == "preset":
        return
    if value is None:
        if field not in _NULLABLE:
            raise RulesetError(field, "it must have a value")
    elif field in _WORDS:
        words = _WORDS[field]
        if not isinstance(value, str) or value not in words:
            raise RulesetError(field, f"one of {', '.join(words)}")
    elif field in _SWITCHES:
        if not isinstance(value, bool):
            raise RulesetError(field, "true or false")
    else:
        low, high = _RANGES[field]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise RulesetError(field, f"a whole number from {low} to {high}")
