"""Rulesets as the rules name them: every field, every preset, and what makes no sense."""

from typing import Any

Rules = dict[str, Any]


SILENT: Rules = {
    "players": 2, "partnership": False, "hand_size": 10, "fixed_limit": None,
    "layoff": "defenders", "columns": 1, "ace_high_runs": False, "may_return_taken_card": False,
    "big_gin_bonus": None, "turn_cap": 200, "deal_cap": 100,
}  # fmt: skip
HEADINGS = (
    "knock_limit", "ace_upcard", "first_turn", "gin_bonus", "undercut_bonus", "spade_multiplier",
    "stock_end", "next_dealer", "void_dealer", "target", "game_bonus", "box_bonus", "shutout",
    "knock_discard_face_down",
)  # fmt: skip
TABLE = {
    "danish": ("upcard", "limit_one", "offer", 25, 10, 1, "void_at_two", "winner_deals", "same",
               100, 0, 0, "none", False),
    "spanish": ("upcard", "gin_only", "offer", 25, 25, 2, "void_at_two", "rotate", "same",
                100, 0, 0, "none", False),
    "german": ("upcard", "gin_only", "normal", 25, 25, 2, "void_at_two", "rotate", "next",
               200, 100, 25, "double_total", True),
    "double_oklahoma": ("upcard", "gin_only", "normal", 25, 25, 3, "void_at_two", "rotate", "next",
                        200, 100, 25, "double_total", True),
    "standard": ("fixed", None, "offer", 25, 25, 1, "reshuffle", "rotate", "same",
                 100, 0, 0, "none", False),
    "straight": ("gin_only", None, "offer", 25, 0, 1, "reshuffle", "rotate", "same",
                 100, 0, 0, "none", False),
}  # fmt: skip
NAMED: dict[str, Rules] = {
    "danish_20": {"preset": "danish", "gin_bonus": 20},
    "spanish_single": {"preset": "spanish", "target": None},
    "spanish_250": {"preset": "spanish", "target": 250},
    "hollywood": {"preset": "spanish", "columns": 3},
    "german_150": {"preset": "german", "target": 150},
    "german_250": {"preset": "german", "target": 250},
    "german_300": {"preset": "german", "target": 300},
    "german_hollywood": {"preset": "german", "columns": 3},
    "no_layoff": {"preset": "german", "layoff": "off"},
    "three_handed": {"preset": "german", "players": 3},
    "four_handed": {"preset": "german", "players": 4},
    "partnership": {"preset": "german", "players": 4, "partnership": True,
                    "layoff": "knockers_partner"},
}  # fmt: skip
PRESETS = (*TABLE, *NAMED)
WORDS = {
    "knock_limit": ("upcard", "fixed", "gin_only"),
    "ace_upcard": (None, "gin_only", "limit_one"),
    "first_turn": ("offer", "normal"),
    "stock_end": ("void_at_two", "reshuffle"),
    "next_dealer": ("winner_deals", "rotate"),
    "void_dealer": ("same", "next"),
    "shutout": ("none", "double_total"),
    "layoff": ("defenders", "off", "knockers_partner", "all"),
    **dict.fromkeys(
        ("partnership", "knock_discard_face_down", "ace_high_runs", "may_return_taken_card"),
        (True, False),
    ),
}


def ruleset(asked: str | Rules) -> Rules:
    """§10: a preset's name, or a preset with overrides, as a dict of every field."""
    if isinstance(asked, str):
        if asked in NAMED:
            return ruleset(NAMED[asked])
        rules = SILENT | dict(zip(HEADINGS, TABLE[asked], strict=True))
        return rules | {"fixed_limit": 10} if asked == "standard" else rules
    return ruleset(asked["preset"]) | {f: v for f, v in asked.items() if f != "preset"}


def faults(rules: Rules) -> set[str]:
    """§10: the fields that a refusal of this resolved ruleset may name; none: it is accepted."""

    def whole(field: str, low: int, high: float = float("inf")) -> bool:
        value = rules[field]
        return type(value) is int and low <= value <= high

    wrong = {field for field, words in WORDS.items() if not any(rules[field] is w or (
        type(w) is str and rules[field] == w) for w in words)}  # fmt: skip
    wrong |= set(rules) - {*SILENT, *HEADINGS}
    wrong |= {f for f in ("turn_cap", "deal_cap", "spade_multiplier") if not whole(f, 1)}
    wrong |= {f for f in ("gin_bonus", "undercut_bonus", "game_bonus", "box_bonus")
              if not whole(f, 0)}  # fmt: skip
    checks = {
        "players": whole("players", 2, 4),
        "hand_size": whole("hand_size", 7, 10),
        "big_gin_bonus": rules["big_gin_bonus"] is None or whole("big_gin_bonus", 0),
        "target": rules["target"] is None or whole("target", 1),
        "columns": whole("columns", 1, 3) and rules["columns"] != 2
        and not (rules["columns"] == 3 and rules["target"] is None),
        "fixed_limit": whole("fixed_limit", 1, 10) if rules["knock_limit"] == "fixed"
        else rules["fixed_limit"] is None,
        "ace_upcard": (rules["ace_upcard"] is not None) == (rules["knock_limit"] == "upcard"),
        "undercut_bonus": rules["knock_limit"] != "gin_only" or rules["undercut_bonus"] == 0,
        "partnership": not rules["partnership"] or rules["players"] == 4,
        "layoff": rules["partnership"] is True
        or rules["layoff"] not in ("knockers_partner", "all"),
    }  # fmt: skip
    return wrong | {field for field, sound in checks.items() if not sound}


def sides(rules: Rules) -> list[list[int]]:
    """§9: seats 0 and 2 against 1 and 3; without partners each seat is a side."""
    if rules["partnership"]:
        return [[0, 2], [1, 3]]
    return [[seat] for seat in range(rules["players"])]


def side_of(rules: Rules, seat: int) -> int:
    """The side that `seat` belongs to."""
    return next(number for number, seats in enumerate(sides(rules)) if seat in seats)


def from_left(rules: Rules, seat: int) -> list[int]:
    """§8: every other seat in turn order, the left neighbour of `seat` first."""
    players = rules["players"]
    return [(seat + step) % players for step in range(1, players)]
