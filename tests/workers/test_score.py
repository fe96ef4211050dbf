"""From games to scores, counts and points; from entries to a table."""

from workers.score import Game, rated_scores, rated_units, scale, tally
from workers.standings import mean_and_half, table


def game(unit: int, leg: int, results: tuple[int, int], **more: object) -> Game:
    """A game of two bots that was played to its end, unless told otherwise."""
    fields: dict[str, object] = {
        "counts": True,
        "reason": "played",
        "faulty": (),
        "margins": (10, -10),
        "deals": 3,
    }
    return Game(unit=unit, leg=leg, results=results, **{**fields, **more})  # pyright: ignore


def test_a_unit_is_the_mean_of_its_legs() -> None:
    """Win and loss make half a unit, two draws too."""
    games = [game(0, 0, (2, 0)), game(0, 1, (0, 2)), game(1, 0, (1, 1)), game(1, 1, (1, 1))]
    first, second = tally(games, 2, 2, 2)
    assert scale(2, 2) == 4
    assert first.scores == second.scores == (2, 2)
    assert (first.won, first.lost, first.drawn) == (1, 1, 2)


def test_a_forfeit_counts_as_a_loss_and_not_in_the_points() -> None:
    """A unit with a forfeit is rated; its points are left out."""
    games = [
        game(0, 0, (0, 2), reason="crash", faulty=(0,), margins=(50, -50)),
        game(0, 1, (2, 0)),
        game(1, 0, (2, 0)),
        game(1, 1, (2, 0)),
    ]
    first, second = tally(games, 2, 2, 2)
    assert first.scores == (2, 4)
    assert (first.forfeits, dict(first.faults)) == (1, {"crash": 1})
    assert (second.forfeits, dict(second.faults)) == (0, {})
    assert (first.points, first.deals) == (20, 6)


def test_a_unit_with_a_void_game_is_not_rated() -> None:
    """What does not count, counts for neither bot; its unit is left out."""
    games = [game(0, 0, (2, 0)), game(0, 1, (0, 0), counts=False, reason="double_fault")]
    first, _ = tally(games, 2, 2, 2)
    assert first.scores == ()
    assert (first.won, first.void) == (1, 1)


def test_half_a_pair_is_not_rated() -> None:
    """A unit with a leg missing is left out."""
    assert rated_units([game(0, 0, (2, 0))], 2) == []


def test_single_deals_are_rated_by_margin_over_blocks() -> None:
    """Sixteen units of one deal each are one result: who is ahead in points."""
    games = [
        game(unit, leg, (2, 0), margins=(1, -1) if unit < 19 else (-100, 100), deals=1)
        for unit in range(20)
        for leg in (0, 1)
    ]
    assert rated_scores(rated_units(games, 2), ((0,), (1,)), 2, single_deal=True) == (
        (4, 0),
        (0, 4),
    )
    assert rated_scores(rated_units(games, 2), ((0,), (1,)), 2, single_deal=False)[0] == (4,) * 20


def test_single_deals_of_partners_are_rated_by_side() -> None:
    """Partners share the margin of their side, and are not rated against each other."""
    games = [Game(0, leg, True, "played", (2, 0, 2, 0), (), (5, -5, 5, -5), 1) for leg in range(4)]
    scores = rated_scores([games], ((0, 2), (1, 3)), 4, single_deal=True)
    assert scores == ((8,), (0,), (8,), (0,))
    assert scale(2, 4) == 8


def test_single_deals_of_three_are_rated_by_the_order_of_margins() -> None:
    """Of three bots the one ahead beats both others, whatever the single deals were."""
    margins = ((30, -10, -20), (-9, 3, 6), (-9, 3, 6))
    games = [Game(0, leg, True, "played", (0, 2, 4), (), margins[leg], 1) for leg in range(3)]
    assert rated_scores([games], ((0,), (1,), (2,)), 3, single_deal=True) == ((12,), (6,), (0,))


def entry(units: list[int], **add: int) -> dict[str, object]:
    """A log entry of one match between `ab` and `cd`, as far as a table looks at it."""
    lost = {"won": add.get("lost", 0), "lost": add.get("won", 0)}
    return {
        "scale": 4,
        "bots": [
            {"name": "ab", "units": units, "add": add, "points": 30, "deals": 4},
            {"name": "cd", "units": [4 - u for u in units], "add": lost, "points": -30, "deals": 4},
        ],
    }


def test_a_table_has_the_best_first() -> None:
    """Rows are ordered by mean unit score, and carry points a deal in thousandths."""
    rows = table(
        [("cd", "v1"), ("ab", "v2"), ("zz", "v3")], [entry([4, 3], won=3), entry([4, 2], won=3)]
    )
    assert [(row.name, row.version, row.units, row.score) for row in rows] == [
        ("ab", "v2", 4, 812_500),
        ("cd", "v1", 4, 187_500),
        ("zz", "v3", 0, 0),
    ]
    assert (rows[0].won, rows[0].lost, rows[1].lost) == (6, 0, 6)
    assert (rows[0].milli_points, rows[1].milli_points) == (7500, -7500)


def test_no_table_depends_on_the_order_of_arrival() -> None:
    """The same entries in another order give the same table."""
    entries = [entry([4, 3], won=3), entry([0, 1], lost=2), entry([2, 2])]
    names = [("ab", "v"), ("cd", "v")]
    assert table(names, entries) == table(names, entries[::-1])


def test_intervals_never_claim_certainty() -> None:
    """Few or equal units leave much open; many mixed ones leave the usual interval."""
    assert mean_and_half([]) == (0.0, 1.0)
    assert mean_and_half([1.0]) == (1.0, 1.0)
    assert mean_and_half([1.0] * 30) == (1.0, 0.1)
    mean, half = mean_and_half([0.0, 1.0] * 50)
    assert (mean, round(half, 3)) == (0.5, 0.098)
