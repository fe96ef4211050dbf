"""What stands in an entry of the log, and what follows from entries. Pure.

An entry is one JSON object: keys sorted, no spaces, ASCII, whole numbers only. Its `seq` is one
more than that of the entry before, its `prev` the SHA-256 of that one's text ("" for the first), so
that the hash of the last entry vouches for all. Kinds:

| kind | what it is |
|---|---|
| `result` | a match was played |
| `void` | a match was played, and no unit of it counts |
| `correction` | an organiser made a recorded match void; takes back its entry, numbered `of` |
| `withdrawn` | a bot (`bot`) was taken out of a tournament: what it had not begun is void |
| `closed` | a tournament was ended for good: what was not played is void |

The last two move no rating; they say why matches are missing. A correction says `why`, each bot's
`elo` before it, and an `add` that is the opposite of what the entry `of` has added; no table counts
that one any more. What later matches have added stays: it followed from the ratings of that time.

`bots` says for each bot of the match: name and version; `parent`, the version whose rating it began
with ("" : none, it began at the start rating); `base`, where its rating began; `elo` and `rated`,
rating and units before this match; `add`, what the entry adds to the rating's fields; `scores`, the
rated units out of `scale`; `units`, all counted units out of the same; `points` and `deals`;
`margins`. `sides` are the bots that played together, by their place in `bots`. `clean`, `margins`
and `pairs` are sums for intervals, see `workers.score.Spread`. Where a bot dialled in there are
`commitments`: the SHA-256 of the secret of every attempt, the recorded one's last. Each leg of such
a match has cards of its own, so its units are rounds of independent games: they are rated and
counted as they are, and their spread, from which intervals are made, is the larger for it.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from workers import elo
from workers.score import Spread, Tally

VERSION = 1
"""Version of the entries' format."""

Entry: TypeAlias = Mapping[str, Any]
Fields: TypeAlias = dict[str, dict[str, int]]
"""Ratings as they are kept: "name version" -> field -> number."""


class Before(NamedTuple):
    """A bot before a match: its rating, and where that began. `parent` as in the entry."""

    name: str
    version: str
    parent: str
    base: int
    elo: int
    units: int


class Facts(NamedTuple):
    """What an entry says of the match as a whole; `sides` are the bots that played together,
    `commitments` as in the entry, none where there are none."""

    tournament: str
    match: str
    fence: int
    digest: str
    seeded: bool
    rated: bool
    scale: int
    sides: Sequence[Sequence[int]]
    recorded_ms: int
    commitments: Sequence[str] = ()


def result(
    facts: Facts,
    bots: Sequence[Before],
    tallies: Sequence[Tally],
    scores: Sequence[Sequence[int]],
    spread: Spread,
) -> dict[str, Any]:
    """The entry of a played match, without its place in the chain."""
    rated_units = [list(own) if facts.rated else [] for own in scores]
    players = [elo.Player(bot.elo, bot.units) for bot in bots]
    moves = elo.changes(players, rated_units, facts.scale, facts.sides)
    counted = len(tallies[0].scores)
    return {
        "v": VERSION,
        "kind": "result" if counted else "void",
        "formula": elo.FORMULA,
        **{key: fact for key, fact in facts._asdict().items() if key != "commitments"},
        **({"commitments": facts.commitments} if facts.commitments else {}),
        "clean": spread.clean,
        **({"pairs": spread.pairs} if spread.pairs else {}),
        "bots": [
            {
                "name": bot.name,
                "version": bot.version,
                "parent": bot.parent,
                "base": bot.base,
                "elo": bot.elo,
                "rated": bot.units,
                "add": _additions(move, len(own), part),
                "scores": own,
                "units": list(part.scores),
                "points": part.points,
                "deals": part.deals,
                "margins": margins,
            }
            for bot, part, own, move, margins in zip(
                bots, tallies, rated_units, moves, spread.margins, strict=True
            )
        ],
    }


def note(kind: str, tournament: str, recorded_ms: int, **facts: str) -> dict[str, Any]:
    """The entry of what an organiser did, without its place in the chain."""
    return {
        "v": VERSION,
        "kind": kind,
        "tournament": tournament,
        "recorded_ms": recorded_ms,
        **facts,
    }


def correction(taken: Entry, elos: Sequence[int], why: str, recorded_ms: int) -> dict[str, Any]:
    """The entry that takes back `taken`; `elos` are the ratings of its bots now."""
    return {
        **note("correction", taken["tournament"], recorded_ms, match=taken["match"], why=why),
        "of": taken["seq"],
        "bots": [
            {"name": bot["name"], "version": bot["version"], "elo": elo, "add": _opposite(bot)}
            for bot, elo in zip(taken["bots"], elos, strict=True)
        ],
    }


def _opposite(bot: Mapping[str, Any]) -> dict[str, int]:
    return {field: -number for field, number in bot["add"].items()}


def played(entry: Entry) -> bool:
    """Whether it is the entry of a match, taken back or not."""
    return entry["kind"] in ("result", "void")


def taken_back(entries: Iterable[Entry]) -> dict[int, str]:
    """The numbers of the entries that others of these take back, each with why."""
    return {entry["of"]: entry["why"] for entry in entries if entry["kind"] == "correction"}


def counting(entries: Iterable[Entry]) -> list[Entry]:
    """The entries of matches that count, in their order: none of `entries` takes them back."""
    entries = list(entries)
    void = taken_back(entries)
    return [entry for entry in entries if played(entry) and entry["seq"] not in void]


def _additions(move: int, units: int, part: Tally) -> dict[str, int]:
    counts = {"won": part.won, "lost": part.lost, "drawn": part.drawn, "void": part.void}
    faults = {f"fault.{reason}": games for reason, games in part.faults.items()}
    added = {"elo": move, "units": units, **counts, "forfeits": part.forfeits, **faults}
    return {field: number for field, number in added.items() if number}


def chained(entry: Entry, seq: int, prev: str) -> tuple[str, str]:
    """An entry's text at a place in the chain, and the SHA-256 of the text, hexadecimal."""
    placed = {**entry, "seq": seq, "prev": prev}
    text = json.dumps(placed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text, text_hash(text)


def text_hash(text: str) -> str:
    """SHA-256 of an entry's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def apply(ratings: Fields, entry: Entry) -> None:
    """Do to `ratings` what the entry does to the store."""
    for bot in entry.get("bots", ()):
        member = f"{bot['name']} {bot['version']}"
        if member not in ratings:
            ratings[member] = {"base": bot["base"], "elo": bot["base"]}
        own = ratings[member]
        for field, number in bot["add"].items():
            own[field] = own.get(field, 0) + number


def faults_of(ratings: Fields, entry: Entry) -> list[str]:
    """Where an entry contradicts the ratings before it, or its own formula; empty when it does not.

    `ratings` are those that follow from the entries before.
    """
    if not played(entry):
        return []
    found: list[str] = []
    for bot in entry["bots"]:
        own = ratings.get(f"{bot['name']} {bot['version']}")
        parent = ratings.get(f"{bot['name']} {bot['parent']}", {"elo": elo.START})
        before = own or {"base": parent["elo"], "elo": parent["elo"]}
        expected = (before["base"], before["elo"], before.get("units", 0))
        if (bot["base"], bot["elo"], bot["rated"]) != expected:
            found.append(f"{bot['name']} begins with {bot['elo']}, the log says {expected[1]}")
    if entry["formula"] == elo.FORMULA:
        players = [elo.Player(bot["elo"], bot["rated"]) for bot in entry["bots"]]
        scores = [bot["scores"] for bot in entry["bots"]]
        moves = elo.changes(players, scores, entry["scale"], entry.get("sides"))
        for bot, move in zip(entry["bots"], moves, strict=True):
            if bot["add"].get("elo", 0) != move:
                found.append(f"{bot['name']} moves by {bot['add'].get('elo', 0)}, not {move}")
    return found


def _faults_of_correction(ratings: Fields, entry: Entry, taken: Entry | None) -> list[str]:
    """The same of a correction; `taken` is what it takes back, None where there is no such."""
    if taken is None or not played(taken):
        return [f"takes back entry {entry['of']}, which is of no match that counts"]
    elos = [ratings[f"{bot['name']} {bot['version']}"]["elo"] for bot in taken["bots"]]
    due = correction(taken, elos, entry["why"], entry["recorded_ms"])
    if entry != {**due, "seq": entry["seq"], "prev": entry["prev"]}:
        return [f"does not take back just what entry {entry['of']} has added"]
    return []


class Broken(NamedTuple):
    """The first thing in a log that is not as it should be; `seq` is the entry's number."""

    seq: int
    what: str


def replay(
    texts: Iterable[tuple[int, str]], text_of: Callable[[int], str]
) -> tuple[Fields, int, str, Broken | None]:
    """Follow a log from its start: ratings, number and hash of the last entry, first fault.

    `text_of` is an earlier entry's text by its number, which corrections are held to.
    """
    ratings: Fields = {}
    void: set[int] = set()
    seq, head = 0, ""
    for number, text in texts:
        entry = _read(text)
        if number != seq + 1 or entry is None or entry.get("seq") != number:
            return ratings, seq, head, Broken(seq + 1, "the entry is missing, or is no entry")
        if entry["prev"] != head:
            return ratings, seq, head, Broken(number, "does not follow the entry before it")
        if entry["kind"] == "correction":
            of = entry["of"]
            taken = _read(text_of(of)) if of < number and of not in void else None
            faults = _faults_of_correction(ratings, entry, taken)
            void.add(of)
        else:
            faults = faults_of(ratings, entry)
        if faults:
            return ratings, seq, head, Broken(number, faults[0])
        apply(ratings, entry)
        seq, head = number, text_hash(text)
    return ratings, seq, head, None


def _read(text: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(text)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and entry.get("v") == VERSION else None
