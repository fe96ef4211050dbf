"""Tables, pictures and CSV as people get them."""

import csv
import io

import pytest

from arena.cli import crosstable, plot, shapes, spreadsheet, standings
from arena.cli.botshow import dialled
from arena.cli.errors import CommandError
from arena.cli.plot import Bar
from knockbox.v1 import arena_pb2 as pb


def line(name: str, rating: tuple[int, int, int] | None = None, **fields: int) -> pb.TableRow:
    """A row of a table; the rating and its ends in Elo points."""
    made = pb.TableRow(bot=name, version="v", milli_elo=1_500_000, **fields)  # pyright: ignore
    if rating:
        milli, low, high = (1000 * number for number in rating)
        made.rating.CopyFrom(pb.RatingInterval(milli=milli, milli_low=low, milli_high=high))
    return made


TABLE = [
    line("ab", (1600, 1550, 1640), units=9, won=12, lost=6, milli_points=5000),
    line("cd", (1400, 1300, 1460), units=9, won=6, lost=12, milli_points=-5000),
    line("ef"),
]


def test_the_picture_has_one_scale() -> None:
    """Numbers stand over their place, and every bot's interval where it belongs."""
    bars = [Bar("ab", 1550, 1600, 1640), Bar("longer", 1300, 1400, 1460)]
    assert plot.lines(bars, 43) == [
        "        1300    1400      1500      1600",
        "ab                               ├────●───┤",
        "longer  ├─────────●─────┤",
    ]


def test_what_goes_beyond_the_scale_is_cut_with_a_mark() -> None:
    """One bot that cannot be gauged does not squeeze the others."""
    bars = [Bar("ab", 1480, 1500, 1520), Bar("cd", 200, 1400, 1460)]
    picture = plot.lines(bars, 60)
    assert picture[2].startswith("cd  <") and "├" not in picture[2]
    assert picture[1].index("┤") - picture[1].index("├") > 6


@pytest.mark.parametrize("bars", [[], [Bar("x" * 40, 1, 2, 3)]])
def test_no_picture_where_there_is_nothing_or_no_room(bars: list[Bar]) -> None:
    """Without ratings, or with less than twenty columns, nothing is drawn."""
    assert plot.lines(bars, 60) == []


def test_a_single_point_is_drawn_too() -> None:
    """Ratings without any width do no harm."""
    assert plot.lines([Bar("ab", 1500, 1500, 1500)], 40)[1].strip() == "ab  ●"


def test_columns_without_news_are_left_out() -> None:
    """Draws and forfeits are shown where there are any; bots without a unit have no rating."""
    headers, rows, _ = standings.fitted(TABLE, 1000)
    assert "drawn" not in headers and "forfeits" not in headers
    assert rows[2][headers.index("rating")] == "-"
    assert "forfeits" in standings.fitted([line("ab", forfeits=2)], 1000)[0]


def test_csv_has_numbers_and_no_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    """Every row comes back as it was; text that a spreadsheet would execute does not."""
    standings.show_csv([*TABLE, line('=1+"x",y\n\x1b[2J')])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    found = list(csv.DictReader(io.StringIO(told)))
    assert [row["bot"] for row in found[:3]] == ["ab", "cd", "ef"]
    assert found[3]["bot"].startswith('\'=1+"x",y')
    assert (found[1]["points"], found[1]["rating_low"], found[2]["rating"]) == (
        "-5.0",
        "1300.0",
        "",
    )


@pytest.mark.parametrize("text", ["=x", "+x", "-x", "@x", " =x", "\t=x"])
def test_csv_takes_no_formula(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a cell begins like, it is text."""
    spreadsheet.show([{"a": text}], ["a"])
    cell = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))["a"]
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))


def test_json_and_csv_exclude_each_other() -> None:
    """Two forms at once are refused with both options named."""
    with pytest.raises(CommandError, match="--json and --csv"):
        spreadsheet.one_of(json=True, csv=True)


def meeting(bot: str, other: str, score: int) -> pb.HeadToHead:
    """One against another, each "NAME VERSION"."""
    (name, version), (opponent, opponent_version) = bot.split(), other.split()
    return pb.HeadToHead(
        bot=name,
        version=version,
        opponent=opponent,
        opponent_version=opponent_version,
        units=4,
        score_millionths=score,
    )


def test_two_versions_of_a_bot_have_cells_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    """On a ladder's day a bot may play in several versions: each is named and has its row, and none
    takes the place of another."""
    table = [pb.TableRow(bot="ab", version="sha256:22"), pb.TableRow(bot="cd", version="v")]
    table.append(pb.TableRow(bot="ab", version="sha256:11"))
    met = [
        meeting("ab sha256:11", "cd v", 250_000),
        meeting("ab sha256:22", "cd v", 750_000),
        meeting("cd v", "ab sha256:22", 250_000),
    ]
    players, meetings = crosstable.ordered(table, met)
    crosstable.show(players, meetings, points=False)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["1", "ab", "22", "-", "75.0", "±0.0"],
        ["2", "cd", "25.0", "±0.0", "-"],
        ["3", "ab", "11", "25.0", "±0.0", "-"],
    ]
    found = shapes.meeting(meetings[0])
    assert (found["version"], found["opponent_version"]) == ("sha256:22", "v")


def test_who_plays_first_between_two_calls_stands_last() -> None:
    """A bot that has met somebody since the table was made is in the cross table all the same."""
    met = [meeting("new v", "ab v", 0), meeting("ab v", "new v", 1_000_000)]
    players, meetings = crosstable.ordered([pb.TableRow(bot="ab", version="v")], met)
    assert players == [("ab", "v"), ("new", "v")]
    assert [one.bot for one in meetings] == ["ab", "new"]


def test_units_spread_as_between_bots_of_like_strength() -> None:
    """Bots that win nearly all do not make the spread look small; they alone tell nothing."""
    even = pb.HeadToHead(units=100, score_millionths=500_000, interval_millionths=58_800)
    beaten = pb.HeadToHead(units=100, score_millionths=990_000, interval_millionths=10_000)
    assert crosstable.deviation([even, beaten]) == pytest.approx(0.3)
    with pytest.raises(CommandError, match="too little"):
        crosstable.deviation([beaten])


def test_json_of_what_is_not_known_is_null() -> None:
    """A bot without a unit has no rating and no interval, and its JSON says so."""
    made = shapes.row(TABLE[2])
    assert [made[key] for key in ("rating", "rating_low", "superior", "points_interval")] == [
        None
    ] * 4


def test_a_dash_where_nothing_was_played() -> None:
    """A bot without a unit has no score, and one without a deal that counts no points a deal; one
    that played on equal terms has +0.00, whether an interval is known or not."""
    forfeited = line("cd", units=4, lost=8, forfeits=8)
    played = line("gh", units=4, points_units=4, milli_points_interval=200)
    alike = line("ij", units=64, points_units=64)
    shown = [
        dict(zip(standings.HEADERS, row, strict=True))
        for row in standings.rows([line("ef"), forfeited, played, alike])
    ]
    told = [(row["score %"], row["pts/deal"], row["± pts"]) for row in shown]
    assert told == [
        ("-", "-", "-"),
        ("0.0", "-", "-"),
        ("0.0", "+0.00", "0.20"),
        ("0.0", "+0.00", "-"),
    ]


def test_points_of_two_are_shown_as_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """In the cross table too +0.00 is a meeting on equal terms, a dash one that was forfeited."""
    even, forfeited = meeting("ab v", "cd v", 500_000), meeting("cd v", "ab v", 500_000)
    even.points_units, forfeited.forfeits = 4, 8
    players, meetings = crosstable.ordered([], [even, forfeited])
    crosstable.show(players, meetings, points=True)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["1", "ab", "-", "+0.00"],
        ["2", "cd", "-*", "-"],
    ]


@pytest.mark.parametrize(
    ("stands", "words"),
    [
        ({"online": True, "slots": 2, "busy": 1}, "dials in: 1 of 2 slots busy"),
        (
            {"online": True, "slots": 2, "waiting": 1, "declines": 3, "quiet_until_ms": 40_000},
            "dials in: 0 of 2 slots busy, 1 match waiting; "
            "it did not take its last 3 seats, and is asked again in 40 s",
        ),
        (
            {"declines": 1},
            "dials in: offline; "
            "it did not take its last seat, and is asked again when it is online",
        ),
        (
            {"online": True, "slots": 1, "declines": 1},
            "dials in: 0 of 1 slots busy; it did not take its last seat, and is asked again now",
        ),
    ],
)
def test_why_a_bot_that_dials_in_does_not_play(stands: dict[str, int], words: str) -> None:
    """Offline, full, or quiet after seats that it did not take: its author is told which."""
    assert dialled(pb.Bot(dial_in=pb.DialState(**stands)), now_ms=0) == words
