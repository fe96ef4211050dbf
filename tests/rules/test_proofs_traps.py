"""The table of traps is complete and names tests that there are; what no other test had is here."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest
from rules_models import cards, row

from knockbox.v1 import play_pb2
from referee.board import Board
from referee.deck import Decks, seed_secret
from referee.rules.actions import Decline, Draw, Knock, LayOff
from referee.rules.cards import members, parse
from referee.rules.deal import Dealing, Illegal, Phase, act, start
from referee.rules.game import Game
from referee.rules.ruleset import PRESETS, resolve
from referee.rules.scoring import settle
from referee.wire.rules import to_proto
from referee.wire.turns import deals_started, turn
from tests.rules.proof_play import some_action
from tests.rules.traps import TRAPS

TESTS = Path(__file__).parents[1]


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((TESTS / file).read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))


@pytest.mark.parametrize("number", range(1, 39))
def test_each_trap_has_its_test(number: int, cases: Counter[str]) -> None:
    """Every trap names tests that there are, or the reason why it cannot occur."""
    trap = TRAPS[number]
    assert trap.tests or trap.why
    for test in trap.tests:
        file, _, name = test.partition("::")
        assert name.startswith("test_") and name in names_in(file), test
    cases["traps of other engines with a test or a reason"] += 1


def test_the_traps_are_complete() -> None:
    """The table goes from 1 to 38 without a gap."""
    assert list(TRAPS) == list(range(1, 39))


# ---------------------------------------------------------------- tests of their own

OTHERS = cards("8H 9H TH JC 4C 4D 9S KC KD 6S")
KNOCK = Dealing(
    (cards("5H 6H 7H 2C 2D 2S QC QD QH AS"), OTHERS),
    parse("TD"),
    (row("KH 7C 8C 9C"),),
    (0, 0),
)


def test_three_cards_are_laid_on_one_end() -> None:
    """An opponent may break an own run and lay 8, 9 and ten on 5-6-7, in any order."""
    deal = start(resolve("danish"), 1, 1, KNOCK)
    for action in (Decline(), Decline(), Draw()):
        act(deal, action)
    act(deal, Knock(parse("KH")))
    run = deal.spreads[0].melds.index(cards("5H 6H 7H"))
    laid = tuple((parse(card), run) for card in ("TH", "8H", "9H"))
    act(deal, LayOff((), laid))
    assert deal.spreads[0].melds[run] == cards("5H 6H 7H 8H 9H TH")
    assert deal.outcome and deal.outcome.deadwood == (1, 10 + 4 + 4 + 9 + 10 + 10 + 6)


def boards(preset: str, units: int = 3):
    """Boards with a first deal each."""
    decks = Decks(seed_secret("traps"), (), PRESETS[preset])
    for unit in range(units):
        board = Board(PRESETS[preset], decks, unit, unit, 0, units)
        board.start_deal()
        yield board


@pytest.mark.parametrize("preset", PRESETS)
def test_the_limit_that_is_told_is_the_limit_in_force(preset: str) -> None:
    """A deal's message tells its knock limit, and it is that limit which a knock must keep."""
    chance = Random(preset)
    for board in boards(preset):
        deal = board.deal
        started = deals_started(board, range(deal.rules.players))
        told = [play_pb2.DealStarted.FromString(one).knock_limit for one in started]
        while deal.outcome is None:
            seat = board.ask()
            asked = play_pb2.Turn.FromString(turn(board, seat, True))
            counts = dict(
                zip(members(asked.options.discards), asked.options.discard_deadwood, strict=True)
            )
            within = [card for card, count in counts.items() if count <= told[seat]]
            assert list(members(asked.options.knocks)) == within
            for card in counts.keys() - set(within):
                with pytest.raises(Illegal):
                    board.play(Knock(card), "")
            board.play(some_action(chance, deal, "greedy"), "")


@pytest.mark.parametrize("preset", PRESETS)
def test_phases_are_told_apart(preset: str) -> None:
    """The phase of a question says by itself which kinds of answers it has."""
    chance = Random(preset)
    kinds: dict[int, set[str]] = {}
    for board in boards(preset, 12):
        while board.deal.outcome is None:
            seat = board.ask()
            asked = play_pb2.Turn.FromString(turn(board, seat, True))
            found = {field.name for field, _ in asked.options.ListFields()}
            kinds.setdefault(asked.phase, set()).update(found)
            assert (asked.phase == Phase.LAYOFF) == bool(board.deal.spreads)
            board.play(some_action(chance, board.deal, "greedy"), "")
    layoff = kinds.pop(Phase.LAYOFF, set())
    assert layoff <= {"may_lay_off"}
    discard = kinds.pop(Phase.DISCARD)
    assert discard <= {
        "discards", "discard_deadwood", "knocks", "knock_deadwood", "may_big_gin",
    }  # fmt: skip
    for answers in kinds.values():
        assert not answers & (discard | layoff)


def test_nobody_is_asked_to_score() -> None:
    """A deal is scored by the decision that ends it: nobody is asked for anything then."""
    for board in boards("german", 20):
        deal, chance = board.deal, Random(board.number)
        while deal.outcome is None:
            act(deal, some_action(chance, deal, "greedy"))
        assert (deal.turn, deal.phase) == (-1, Phase.OVER)
    names = {field.name for field in play_pb2.Action.DESCRIPTOR.oneofs_by_name["choice"].fields}
    assert names == {"decline", "take", "draw", "discard", "knock", "big_gin", "lay_off"}


def test_the_number_of_players_is_told() -> None:
    """The rules that a bot is welcomed with say how many play, in every preset."""
    for rules in PRESETS.values():
        assert to_proto(rules).players == rules.players == len(rules.side_of)


def test_a_seeded_reset_keeps_the_rules() -> None:
    """A reset with a seed deals other cards under the rules that were asked for."""
    pytest.importorskip("pettingzoo")
    from referee.pettingzoo_env import raw_env

    asked = {"preset": "three_handed", "gin_bonus": 7, "undercut_bonus": 3}
    environment = raw_env(rules=asked, unit="game")
    for seed in (None, 5, None, 6):
        environment.reset(seed=seed)
        assert environment.rules == resolve(asked)
        assert environment.agents == ["seat_0", "seat_1", "seat_2"]


def test_a_long_run_is_one_meld() -> None:
    """A run of five is one meld, taken whole where nothing is declared and where it is."""
    hand, run, twos = (
        cards("3H 4H 5H 6H 7H 2C 2D 2S 3C AS"),
        cards("3H 4H 5H 6H 7H"),
        cards("2C 2D 2S"),
    )
    for melds in (None, (run, twos)):
        deal = start(resolve("german"), 1, 1, KNOCK._replace(hands=(hand, OTHERS)))
        act(deal, Draw())
        act(deal, Knock(parse("KH"), melds))
        assert set(deal.spreads[0].melds) == {twos, run}
        assert deal.spreads[0].deadwood == 4


def test_an_undercut_that_reaches_the_target_wins() -> None:
    """The undercutter, and not the knocker whose turn it was, wins the game and its bonus."""
    rules = resolve({"preset": "german", "target": 30})
    game = Game(rules, 0)
    game.record(settle(rules, 0, 1, 0, (9, 4)))
    result = game.result
    assert result and (result.winner, result.places) == (1, (2, 1))
    assert result.points == (0, 30)
    assert result.totals == (0, (30 + 25 + 100) * 2)


def test_the_page_names_tests_that_there_are() -> None:
    """Every file in the table of proofs exists, and every file of proofs is in the table."""
    page = (TESTS.parent / "docs" / "architecture.md").read_text()
    chapter = page.partition("## How the rules are proved")[2]
    named = re.findall(r"`(tests/\w+/)?(test_\w+\.py)`", chapter)
    files = {TESTS.parent / (folder or "tests/rules/") / name for folder, name in named}
    assert all(file.is_file() for file in files)
    assert files >= set((TESTS / "rules").glob("test_proofs_*.py"))
