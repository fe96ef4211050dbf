"""The endings that several bots, or none, are the cause of, and those at larger tables."""

from collections.abc import Iterator
from typing import Any

from referee.deck import Decks, seed_secret
from referee.rules.ruleset import resolve
from tests.referee.live.endings_alone import HASTY, OUT_OF_MEMORY, REFUSED, TWO, clock
from tests.referee.live.endings_play import (
    IN,
    dies,
    evict,
    exits,
    half_close,
    meet,
    play,
    silent,
    stop,
    worker_leaves,
    worker_lost,
)
from tests.referee.live.endings_script import answer_with, connect, hear, illegal, join, strange
from tests.referee.live.endings_stage import Case


def evenly_dealt() -> bytes:
    """A secret under which each seat begins two of the first four of eight games."""
    ruleset = resolve("danish")
    for secret in (seed_secret(str(number)) for number in range(100)):
        decks = Decks(secret, (), ruleset)
        if sum(decks.first_dealer(unit, 0) for unit in decks.board_order(0, 8)[:4]) == 2:
            return secret
    raise AssertionError("no such secret")


HALVES = {**HASTY, "units": 8, "boards": 4, "secret": evenly_dealt()}
THREE: dict[str, Any] = {"rules": {"preset": "three_handed", "target": 10}, "units": 2}
FOUR: dict[str, Any] = {"rules": {"preset": "four_handed", "target": 10}, "units": 2}
PARTNERS: dict[str, Any] = {"rules": {"preset": "partnership", "target": 10}, "units": 2}
CLOSE: dict[str, Any] = {"step": 0.3}


def together() -> Iterator[Case]:
    """All of them."""
    yield from both_at_once()
    yield from attempts()
    yield from many_seats()


def both_at_once() -> Iterator[Case]:
    begun = (*IN, meet)
    for name, one, other, expected in (
        ("neither connects", (), (), "no_show no_show: void"),
        ("no show, crash", (), (exits(code=1),), "no_show crash: void"),
        ("both exit before Join", (exits(code=1),), (exits(code=1),), "crash crash: void"),
        ("crash, garbage", (connect, join(), half_close), (connect, join(), *(REFUSED,) * 4),
         "crash illegal: void"),
        ("both exit", (*begun, exits(code=1)), (*begun, exits(code=1)), "crash crash: void"),
        ("both half-close", (*begun, half_close), (*begun, half_close), "crash crash: void"),
        ("exit, memory", (*begun, exits(code=1)), (*begun, exits(**OUT_OF_MEMORY)),
         "crash memory: void"),
    ):  # fmt: skip
        yield Case("both at once", name, (one, other), expected, TWO, CLOSE)
    silence = (*IN, silent)
    expected = "time time: 2 lost, 2 lost by 1, 4 void"
    yield Case("both at once", "both silent", (silence, silence), expected, HALVES, CLOSE)


def attempts() -> Iterator[Case]:
    begun = (*IN, hear)
    for name, script, expected in (
        ("could not be started", (exits(infra=True),), "attempt CANCELLED"),
        ("platform fault in mid-deal", (*begun, exits(infra=True)), "attempt CANCELLED"),
        ("withdrawn before Join", (stop,), "attempt CANCELLED"),
        ("withdrawn in mid-deal", (*begun, stop), "attempt CANCELLED"),
        ("worker ends its stream", (*begun, worker_leaves), "attempt CANCELLED"),
        ("worker lost", (*begun, worker_lost), "attempt CANCELLED"),
        ("evicted", (*begun, evict), "attempt ABORTED"),
    ):
        yield Case("attempt", name, (script,), expected, TWO)


def many_seats() -> Iterator[Case]:
    begun, fine3 = (*IN, hear), "played played: leg"
    silence, gone = (*IN, silent), (*IN, meet, exits(code=1))
    hasty = {**THREE, "clock": clock(60_000, 150)}
    for name, scripts, expected, match in (
        ("one of three exits", ((*begun, dies(code=1)),), f"crash {fine3}", THREE),
        ("one of three never connects", ((),), f"no_show {fine3}", THREE),
        ("one of three is silent", (silence,), f"time {fine3}", hasty),
        ("one of three plays on illegally", ((*begun, *(answer_with(illegal), hear) * 4),),
         f"illegal {fine3} (4 strikes)", THREE),
        ("one of three floods", ((*begun, *(answer_with(strange),) * 21),),
         f"flood {fine3} (21 stale)", THREE),
        ("two of three exit", (gone, gone), "crash crash played: leg by 0+1", THREE),
        ("exit and no show of three", ((exits(code=1),), ()),
         "crash no_show played: leg by 0+1", THREE),
        ("all three exit", (gone, gone, gone), "crash crash crash: void", THREE),
        ("one of four exits", ((*begun, dies(code=1)),), f"crash played {fine3}", FOUR),
        ("three of four exit", (gone, gone, gone), "crash crash crash played: leg by 0+1+2", FOUR),
        ("a partner exits", ((*begun, dies(code=1)),), f"crash played {fine3}", PARTNERS),
        ("a partner half-closes", ((*begun, half_close),), f"crash played {fine3}", PARTNERS),
        ("both partners exit", (gone, (*IN, meet, play), gone),
         "crash played crash played: leg by 0+2", PARTNERS),
        ("a partner each exits", (gone, gone), "crash crash played played: void", PARTNERS),
        ("nobody of four connects", ((), (), (), ()), "no_show no_show no_show no_show: void",
         PARTNERS),
    ):  # fmt: skip
        settings = {} if "silent" in name else CLOSE
        yield Case("many seats", name, scripts, expected, match, settings)
    exits_always = ((*begun, dies(code=1)),)
    for match, others in ((TWO, 1), (THREE, 2), (PARTNERS, 3)):
        expected = f"crash{' played' * others}: leg"
        name = f"exits in every leg of {others + 1}"
        yield Case("many seats", name, exits_always, expected, match, every_leg=True)
