"""The endings of which one of two bots is the cause, phase by phase of a leg."""

from collections.abc import Iterator
from typing import Any

from knockbox.v1 import play_pb2
from tests.referee.live.endings_play import (
    IN,
    PLAYS,
    dies,
    drop,
    exits,
    half_close,
    hold,
    lapse,
    play,
    play_slowly,
    play_with,
    silent,
    until_deal_over,
    until_layoff,
    until_others_hold,
)
from tests.referee.live.endings_script import (
    Script,
    answer,
    answer_with,
    connect,
    doubled,
    first_only,
    hear,
    illegal,
    join,
    join_as_before,
    join_elsewhere,
    knock_at_the_old_door,
    long_note,
    no_choice,
    ready,
    say,
    strange,
    swapped,
)
from tests.referee.live.endings_stage import Case

GARBAGE = say(b"\xff\xff\xff")
REFUSED = say(b"\xff\xff\xff", heard=True)
HUGE = say(bytes(100_000))


def clock(bank: int, cap: int, increment: int = 0) -> play_pb2.ClockSettings:
    return play_pb2.ClockSettings(bank_per_game_ms=bank, cap_ms=cap, increment_ms=increment)


TWO: dict[str, Any] = {"units": 2}
HASTY: dict[str, Any] = {"units": 4, "boards": 2, "rules": "danish", "clock": clock(60_000, 150)}
ONE_BY_ONE: dict[str, Any] = {"units": 3, "boards": 1}
LONG: dict[str, Any] = {"rules": {"preset": "danish", "target": 25}}
OUT_OF_MEMORY = {"signal": 9, "memory": True}
FINE = "played played: none"
AGAIN: Script = (connect, join(), ready)


def alone() -> Iterator[Case]:
    """All of them."""
    yield from before_join()
    yield from before_ready()
    yield from in_mid_deal()
    yield from by_the_clock()
    yield from by_what_is_said()
    yield from with_a_layoff_pending()
    yield from while_others_think()
    yield from around_match_over()


def before_join() -> Iterator[Case]:
    gone, absent = "crash played: leg", "no_show played: leg"
    for name, script, expected in (
        ("never connects", (), absent),
        ("connects and is silent", (connect,), absent),
        ("exits with 0", (exits(code=0),), gone),
        ("exits with 1", (exits(code=1),), gone),
        ("is killed", (exits(signal=9),), gone),
        ("runs out of memory", (exits(**OUT_OF_MEMORY),), "memory played: leg"),
        ("half-closes", (connect, half_close), absent),
        ("wrong ticket", (connect, join("wrong")), absent),
        ("empty ticket", (connect, join("")), absent),
        ("ticket of another seat", (connect, join_elsewhere), absent),
        ("another protocol", (connect, join(protocol=2)), absent),
        ("garbage for Join", (connect, GARBAGE, hear), absent),
        ("Ready before Join", (connect, ready, hear), absent),
        ("wrong ticket, then its own", (connect, join("wrong"), *PLAYS), FINE),
        ("huge Join, then a good one", (connect, HUGE, hear, *PLAYS), FINE),
        ("lost, comes again", (connect, drop, *PLAYS), FINE),
        ("wrong tickets in floods", (*(connect, join("x")) * 25, *PLAYS), FINE),
    ):
        yield Case("before Join", name, (script,), expected, TWO)


def before_ready() -> Iterator[Case]:
    joined = (connect, join())
    for name, script, expected in (
        ("joins and is silent", joined, "no_show played: leg"),
        ("half-closes", (*joined, half_close), "crash played: leg"),
        ("is lost", (*joined, drop), "no_show played: leg"),
        ("exits", (*joined, dies(code=1)), "crash played: leg"),
        ("runs out of memory", (*joined, dies(**OUT_OF_MEMORY)), "memory played: leg"),
        ("lost, comes again", (*joined, drop, *PLAYS), FINE),
        ("second connection", (*joined, *PLAYS), FINE),
        ("three times garbage", (*joined, *(REFUSED,) * 3, ready, play), f"{FINE} (3 strikes)"),
        (
            "four times garbage",
            (*joined, *(REFUSED,) * 4),
            "illegal played: leg (4 strikes)",
        ),
        ("Actions", (*joined, answer, hear, ready, play), f"{FINE} (1 strikes)"),
        ("huge, comes again", (*joined, HUGE, hear, *PLAYS), FINE),
        ("too many connections", (*joined * 22,), "flood played: leg"),
    ):
        yield Case("before Ready", name, (script,), expected, TWO)


def in_mid_deal() -> Iterator[Case]:
    begun = (*IN, hear, answer, hear)
    for name, script, expected in (
        ("half-closes", (*begun, half_close), "crash played: leg"),
        ("answers and half-closes", (*begun, answer, half_close), "crash played: leg"),
        ("exits with 0", (*begun, dies(code=0)), "crash played: leg"),
        ("exits with 1", (*begun, dies(code=1)), "crash played: leg"),
        ("is killed", (*begun, dies(signal=9)), "crash played: leg"),
        ("runs out of memory", (*begun, dies(**OUT_OF_MEMORY)), "memory played: leg"),
        ("exits, connection up", (*begun, exits(code=1)), "crash played: leg"),
        ("lost, comes again", (*begun, drop, *PLAYS), FINE),
        ("lost again and again", (*begun, *(drop, *AGAIN, hear, answer) * 8, play), FINE),
        ("second connection", (*begun, *PLAYS), FINE),
        ("20 reconnections", (*begun, *(drop, *AGAIN) * 20, play), FINE),
        ("21 reconnections", (*begun, *(drop, *AGAIN) * 21), "flood played: leg"),
        ("second connection without Ready", (*begun, connect, join(), *PLAYS), FINE),
        ("huge, comes again", (*begun, HUGE, hear, *PLAYS), FINE),
    ):
        yield Case("in mid-deal", name, (script,), expected, {**LONG, "units": 2})
    late = (*IN, until_deal_over, dies(code=1))
    yield Case(
        "in mid-deal", "exits after a game", (late,), "crash played: 1 finished, 2 lost", ONE_BY_ONE
    )


def by_the_clock() -> Iterator[Case]:
    empty = {**TWO, "clock": clock(250, 0)}
    twice = {**LONG, "clock": clock(250, 0, increment=250)}
    for name, script, expected, match in (
        ("one question too long", (*IN, lapse, answer, play), "time played: owed", HASTY),
        (
            "late answers ten times over",
            (*IN, lapse, answer_with(lambda turns: swapped(turns) * 10), play),
            "time played: owed",
            HASTY,
        ),
        ("late and illegal", (*IN, lapse, answer_with(illegal), play), "time played: owed", HASTY),
        ("late and garbage", (*IN, lapse, GARBAGE, play), "time played: owed", HASTY),
        ("never answers", (*IN, silent), "time played: leg", HASTY),
        ("lost and stays away", (*IN, hear, drop), "time played: leg", HASTY),
        ("in and lost at once", (*IN, drop), "time played: leg", HASTY),
        ("bank empty", (*IN, silent), "time played: leg", empty),
        ("twice the bank in all", (*IN, play_slowly), "time played: leg", twice),
    ):
        yield Case("by the clock", name, (script,), expected, match, {"progress": 0.05})


def by_what_is_said() -> Iterator[Case]:
    begun = (*IN, hear)
    lost = "illegal played: leg (4 strikes)"
    for name, bad in (
        ("illegal", answer_with(illegal)),
        ("no choice", answer_with(no_choice)),
        ("doubled", answer_with(doubled)),
        ("too large", answer_with(long_note)),
        ("empty Actions", answer_with(lambda _: [])),
        ("garbage", GARBAGE),
        ("an empty message", say(b"")),
        ("Join again", say(play_pb2.PlayRequest(join={}).SerializeToString())),
        ("Ready again", ready),
        (
            "illegal and strange",
            answer_with(lambda turns: [*illegal(turns)[:1], *strange(turns) * 3]),
        ),
    ):
        three = (*begun, *(bad, hear) * 3, answer, play)
        stale = ", 3 stale" if "strange" in name else ""
        yield Case("said", f"three: {name}", (three,), f"{FINE} (3 strikes{stale})", TWO)
        stale = ", 4 stale" if "strange" in name else ""
        expected = lost.replace("strikes", f"strikes{stale}")
        yield Case("said", f"four: {name}", (((*begun, *(bad, hear) * 4)),), expected, TWO)
    flood = answer_with(lambda turns: strange(turns) * 5)
    for name, script, expected in (
        ("20 strange answers", (*begun, *(flood,) * 20, answer, play), f"{FINE} (20 stale)"),
        ("21 strange answers", (*begun, *(flood,) * 21), "flood played: leg (21 stale)"),
        ("every answer twice at once", (*begun, answer, answer, hear), None),
        ("omits all but one", (*IN, play_with(first_only)), FINE),
        ("swapped", (*IN, play_with(swapped)), FINE),
    ):
        if expected is not None:
            yield Case("said", name, (script,), expected, {**TWO, **LONG})


def with_a_layoff_pending() -> Iterator[Case]:
    begun = (*IN, until_layoff)
    for name, script, expected in (
        ("half-closes", (*begun, half_close), "crash played: leg"),
        ("exits", (*begun, dies(code=1)), "crash played: leg"),
        ("runs out of memory", (*begun, dies(**OUT_OF_MEMORY)), "memory played: leg"),
        ("lost, comes again", (*begun, drop, *PLAYS), FINE),
        ("second connection", (*begun, *PLAYS), FINE),
        (
            "four times garbage",
            (*begun, *(GARBAGE, hear) * 4),
            "illegal played: leg (4 strikes)",
        ),
        (
            "four times illegal",
            (*begun, *(answer_with(illegal), hear) * 4),
            "illegal played: leg (4 strikes)",
        ),
        ("doubled once", (*begun, answer_with(doubled), hear, answer, play), f"{FINE} (1 strikes)"),
        (
            "21 strange answers",
            (*begun, *(answer_with(strange),) * 21),
            "flood played: leg (21 stale)",
        ),
        ("huge, comes again", (*begun, HUGE, hear, *PLAYS), FINE),
    ):
        yield Case("layoff pending", name, (script,), expected, LONG)
    slow = {**LONG, "clock": clock(60_000, 400)}
    yield Case("layoff pending", "never answers", ((*begun, silent),), "time played: leg", slow)


def while_others_think() -> Iterator[Case]:
    begun = (*IN, until_others_hold)
    held = (*IN, hold)
    for name, script, expected in (
        ("half-closes", (*begun, half_close), "crash played: leg"),
        ("exits", (*begun, dies(code=1)), "crash played: leg"),
        ("runs out of memory", (*begun, dies(**OUT_OF_MEMORY)), "memory played: leg"),
        ("four times garbage", (*begun, *(GARBAGE,) * 4), "illegal played: leg (4 strikes)"),
        (
            "21 strange answers",
            (*begun, *(answer_with(strange),) * 21),
            "flood played: leg (21 stale)",
        ),
        ("too many connections", (*begun, *AGAIN * 21), "flood played: leg"),
    ):
        yield Case("others think", name, (script, held), expected, LONG)


def around_match_over() -> Iterator[Case]:
    for name, script, then in (
        ("exits with 1 after it", (*PLAYS, exits(code=1)), PLAYS),
        ("is killed after it", (*PLAYS, dies(signal=9)), PLAYS),
        ("half-closes after it", (*PLAYS, half_close), PLAYS),
        ("Actions after it", (*PLAYS, answer), PLAYS),
        ("garbage after it", (*PLAYS, GARBAGE), PLAYS),
        ("flood after it", (*PLAYS, *(answer_with(strange),) * 25), PLAYS),
        ("huge after it", (*PLAYS, HUGE), PLAYS),
        ("comes again after it", (*PLAYS, connect, join()), PLAYS),
        ("old ticket in the next leg", PLAYS, (connect, join_as_before, *PLAYS)),
        ("old door in the next leg", PLAYS, (knock_at_the_old_door, *PLAYS)),
    ):
        yield Case("MatchOver", name, (script,), FINE, TWO, then=then)
