"""Scenario files into questions and expected answers; no rule is known here.

A file is plain text: `== id  title` opens a scenario, `name: value` lines set it up, `-- name`
opens a run (a variant of moves, rules or cards), every other line holds moves, a deal of a score
sheet or a ruleset. `=>` after a line, or on a line of its own below it, says what holds when the
script stops there. docs/rules.md shows the form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

CASES = Path(__file__).parent / "cases"

_FIELD = re.compile(
    r"(why|rules|dealer|seat \d|upcard|stock|pile \d|reshuffle|first dealer|cards|knocker melds"
    r"|gin):\s*(.*)"
)
_DEAL = re.compile(r"(\w\w) by (\d):((?: \d+)+)( big gin)?")
_ENDS = ("knock", "gin", "big gin", "undercut", "void")
_LISTS = {"deadwood", "points", "totals", "boxes", "places", "sums", "dealers", "closed"}
_TABLES = {"columns", "column boxes", "column totals"}
_WORDS: dict[str, Any] = {"yes": True, "no": False, "none": None, "-": None}


class Sight(NamedTuple):
    """Cards that a seat sees, or does not see, when the script stops."""

    seat: int
    cards: frozenset[str]
    visible: bool


@dataclass
class Check:
    """One question, `answer(verb, line)`, and what the answer must hold."""

    where: str
    verb: str
    line: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)
    sights: list[Sight] = field(default_factory=list)


@dataclass
class Scenario:
    """A set-up under one stable id, and the checks of all its runs."""

    id: str
    title: str
    why: str
    checks: list[Check]


def all_scenarios() -> dict[str, Scenario]:
    """Every scenario of the folder by id."""
    found: dict[str, Scenario] = {}
    for path in sorted(CASES.glob("*.case")):
        for scenario in read(path.read_text(encoding="utf-8"), path.name):
            assert scenario.id not in found, f"{path.name}: {scenario.id} is there twice"
            found[scenario.id] = scenario
    return found


def read(text: str, origin: str) -> Iterator[Scenario]:
    """The scenarios of one text; ValueError with its line for what cannot be read."""
    blocks: list[tuple[str, list[tuple[int, str]]]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#")[0].strip()
        if line.startswith("== "):
            blocks.append((line[3:], []))
        elif line and not blocks:
            raise ValueError(f"{origin}:{number}: a scenario opens with ==")
        elif line:
            blocks[-1][1].append((number, line))
    for head, lines in blocks:
        name, _, title = head.partition("  ")
        yield _Reader(name, origin).scenario(title.strip(), lines)


class _Reader:
    """One scenario being read: the set-up, and over it the fields of the run that is open."""

    def __init__(self, name: str, origin: str) -> None:
        self.name = name
        self.origin = origin
        self.setup: dict[str, Any] = {}
        self.fields = self.setup
        self.script: list[str] = []
        self.run = ""
        self.last = ""
        self.checks: list[Check] = []

    def scenario(self, title: str, lines: list[tuple[int, str]]) -> Scenario:
        for number, line in lines:
            try:
                self._line(line)
            except (ValueError, KeyError, IndexError) as error:
                raise ValueError(f"{self.origin}:{number}: {line}: {error}") from error
        return Scenario(self.name, title, self.setup.get("why", ""), self.checks)

    def _line(self, line: str) -> None:
        text, arrow, told = (part.strip() for part in line.partition("=>"))
        known = _FIELD.fullmatch(line)
        if line.startswith("-- "):
            self.run, self.fields, self.script = line[3:], dict(self.setup), []
        elif known and known[1] == "reshuffle":
            self.fields[known[1]] = [*self.fields.get(known[1], []), known[2]]
        elif known:
            self.fields[known[1]] = known[2]
        elif self.last == "why" and not arrow:
            self.fields["why"] += " " + line
            return
        elif text:
            moves = text.split(",") if "upcard" in self.fields else [text]
            self.script += [move.strip() for move in moves]
        if arrow:
            if text or not self.last.startswith("=>"):
                self.checks.append(self._question())
            self._expect(self.checks[-1], told)
        self.last = known[1] if known else f"=> {text}" if arrow else text

    def _question(self) -> Check:
        of = self.fields
        where = f"{self.origin} {self.name}" + (f" ({self.run})" if self.run else "")
        line: dict[str, Any] = {"rules": ruleset(of["rules"])} if "rules" in of else {}
        if "cards" in of:
            line["cards"] = of["cards"].split()
            if "knocker melds" not in of:
                return Check(where, "deadwood", line)
            line["knocker_melds"] = _melds(of["knocker melds"])
            line["gin"] = _WORDS[of.get("gin", "no")]
            return Check(where, "layoff", line)
        if "first dealer" in of:
            line |= {"first_dealer": int(of["first dealer"]), "deals": _deals(self.script)}
            return Check(where, "score", line)
        if "upcard" not in of:
            line["rules"] = ruleset(self.script[-1])
            return Check(f"{where} {self.script[-1]}", "check", line)
        line |= {"dealer": int(of["dealer"]), "upcard": of["upcard"], "actions": [*self.script]}
        line["hands"] = [of[seat] for seat in sorted(of) if seat.startswith("seat")]
        if "pile 0" in of:
            line["piles"] = [of[pile] for pile in sorted(of) if pile.startswith("pile")]
        elif "stock" in of:
            line["stock"] = of["stock"]
        if "reshuffle" in of:
            line["reshuffles"] = of["reshuffle"]
        return Check(f"{where} after {self.script[-1:]}", "play", line)

    def _expect(self, check: Check, told: str) -> None:
        for phrase in (part.strip() for part in told.split(",")):
            sight = re.fullmatch(r"seat (\d) (sees|does not see) (.*)", phrase)
            key, _, value = phrase.partition(" ")
            if sight:
                cards = frozenset(sight[3].split())
                check.sights.append(Sight(int(sight[1]), cards, sight[2] == "sees"))
            elif check.verb == "check":
                check.expect |= {"ok": True} if key == "accepted" else {"error": {"field": value}}
            elif phrase in _ENDS:
                check.expect["end"] = phrase.replace(" ", "_")
            elif key == "refused":
                check.expect |= {"refused": len(self.script) - 1, "code": value}
            elif key == "error":
                check.expect["error"] = {"field": value}
            else:
                _told(check, phrase)


def ruleset(text: str) -> dict[str, Any]:
    """A ruleset as JSON asks for it, from "german with target 150, shutout none"."""
    preset, _, changes = text.partition(" with ")
    found: dict[str, Any] = {"preset": preset.strip()}
    for change in changes.split(",") if changes else ():
        name, _, value = change.strip().partition(" ")
        found[name] = _plain(value, {"true": True, "false": False, "null": None})
    return found


def _told(check: Check, phrase: str) -> None:
    """Add "next dealer 1", "deadwood 4 67", "columns 40 0 | 0 0 | 0 0" to what is expected."""
    expect = check.expect
    named = (*sorted(_TABLES | {"next dealer"}, key=len, reverse=True), phrase.partition(" ")[0])
    key = next(name for name in named if f"{phrase} ".startswith(f"{name} "))
    values = [_plain(word) for word in phrase[len(key) :].split()]
    if key in ("melds", "layoffs"):
        expect[key] = _melds(phrase[len(key) :]) if key == "melds" else _layoffs(values)
    elif key in _TABLES:
        rows = phrase[len(key) :].split("|")
        expect[key.replace(" ", "_")] = [[_plain(word) for word in row.split()] for row in rows]
    elif check.verb == "score" and key == "points":
        expect["points of the last deal"] = values
    elif check.verb == "deadwood" or key not in _LISTS:
        expect[key.replace(" ", "_")] = values[0]
    elif check.verb == "layoff" and key == "deadwood":
        expect[key] = values[0]
    else:
        expect[key] = values


def _plain(word: str, words: dict[str, Any] = _WORDS) -> Any:
    return words[word] if word in words else int(word) if word.lstrip("-").isdigit() else word


def _melds(text: str) -> list[list[str]]:
    return [sorted(meld.split()) for meld in text.split("|")] if text.strip() else []


def _layoffs(words: list[str]) -> list[list[Any]]:
    return [[card, int(number)] for card, number in (word.split(">") for word in words)]


def _deals(script: list[str]) -> list[dict[str, Any]]:
    """Deals of a score sheet, from "7H by 1: 30 4", "void" and "void x3"."""
    deals: list[dict[str, Any]] = []
    for text in script:
        what, _, times = text.partition(" x")
        deal = _DEAL.fullmatch(what)
        if deal is None and what != "void":
            raise ValueError("neither a deal nor void")
        found: dict[str, Any] = {"void": True}
        if deal:
            found = {"up": deal[1], "by": int(deal[2]), "dw": [int(n) for n in deal[3].split()]}
            if deal[4]:
                found["big"] = True
        if times:
            found["x"] = int(times)
        deals.append(found)
    return deals
