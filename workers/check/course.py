"""The course of a check: which matches are played, in which order, and what each says.

    async for row in check(subject, place, rules): …

says every row of `rows.NAMES` once. A bot that fails in a match which later ones build on is not
tried any further: their rows say SKIP.
"""

import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from referee.rules.ruleset import PRESETS, Ruleset
from workers.attempt import AttemptVoid, BotSpec
from workers.check import faults, judge, rows
from workers.check.limits import Limits
from workers.check.rows import Row, Verdict
from workers.check.stage import RANDOM, Place, Seen, Stage, at_fault, play

OnStep = Callable[[str], None]


async def check(
    subject: BotSpec,
    place: Place,
    rules: Ruleset,
    limits: Limits | None = None,
    on_step: OnStep | None = None,
) -> AsyncIterator[Row]:
    """Check a bot under `rules`; `on_step` hears in a word what is being played.

    Raises AttemptVoid where the platform fails: then nothing has been said against the bot.
    """
    limits = limits or Limits()
    if place.launcher.sandboxed:
        limits = limits._replace(memory=min(limits.memory, limits.box))
    course = _Course(subject, place, rules, limits, on_step or (lambda _: None))
    said: dict[str, Verdict] = {}
    async for row in course.rows():
        said[row.name] = row.verdict
        yield row
    why = next((name for name, verdict in said.items() if verdict is Verdict.FAIL), "")
    for name in rows.NAMES:
        if name not in said:
            yield Row(name, Verdict.SKIP, f"not done: mend {why!r} first")


class _Course:
    """One check of one bot."""

    def __init__(
        self, subject: BotSpec, place: Place, rules: Ruleset, limits: Limits, on_step: OnStep
    ) -> None:
        self._subject = subject
        self._place = place
        self._rules = rules
        self._limits = limits
        self._on_step = on_step
        self._token = secrets.token_hex(6)
        self._found: list[Seen] = []
        self._said: set[str] = set()

    async def rows(self) -> AsyncIterator[Row]:
        """Rows as they are known, each once."""
        async for row in self._played():
            self._said.add(row.name)
            yield row
        for row in self._summed_up():
            if row.name not in self._said:
                yield row

    async def _played(self) -> AsyncIterator[Row]:
        """The matches; ends with the first fault that leaves no sense in going on."""
        limits, rules = self._limits, capped(self._rules, self._limits.deals)
        one = await self._play(Stage(rows.ONE, rules))
        if one.reports and one.reports[0].clock.messages:
            yield judge.start(one, limits)
            yield judge.handshake(one)
        if row := self._wrong(one):
            yield row
            return
        yield judge.played(one)
        if (row := judge.ending(one.logs)).verdict is Verdict.FAIL:
            yield row  # each leg of the others would wait for its end
            return
        many = await self._play(Stage(rows.MANY, rules, limits.boards))
        if row := self._wrong(many):
            yield row
            return
        yield judge.played(many)
        yield judge.pace(one, many, limits)
        if (row := judge.answers((one, many), limits)).verdict is Verdict.FAIL:
            yield row
            return
        cut = await self._play(Stage(rows.RECONNECT, rules, legs=1, cut=limits.cut))
        yield self._wrong(cut) or judge.came_back(cut)
        single = replace(rules, target=None, columns=1)
        chance = await self._play(Stage(rows.RANDOM, single, limits.score, RANDOM))
        yield self._wrong(chance) or judge.random(chance)
        yield await self._under_other_rules()
        itself = await self._play(Stage(rows.ITSELF, rules, rival=""))
        yield self._wrong(itself) or judge.played(itself)
        again = await self._play(one.stage)
        yield self._wrong(again) or judge.repeatable(one, again)

    def _summed_up(self) -> list[Row]:
        """What all matches say together, as far as the bot came."""
        logs = [log for seen in self._found for log in seen.logs]
        found: list[Row] = []
        if any(seen.reports and seen.reports[0].clock.decisions for seen in self._found):
            limits = self._limits
            found += [judge.answers(self._found, limits), judge.memory(logs, limits)]
        found.append(judge.output(logs))
        if any(log.reason == "played" for log in logs):
            found.append(judge.ending(logs))
        return found

    async def _under_other_rules(self) -> Row:
        """Every shape of rules that there is, a leg of each."""
        passed: list[str] = []
        for rules in shapes(self._rules)[: self._limits.shapes]:
            seen = await self._play(Stage(rows.RULES, capped(rules, 1), boards=2, legs=1))
            if row := self._wrong(seen):
                if rules.players == self._rules.players:
                    return row._replace(reason=f"under the rules {rules.preset}: {row.reason}")
                fix = f"no fault where two play; it cannot enter a tournament for {rules.players}"
                reason = f"with {rules.players} players ({rules.preset}): {row.reason}"
                return Row(rows.RULES, Verdict.WARN, reason, fix, row.lines)
            passed.append(rules.preset)
        return Row(rows.RULES, Verdict.PASS, f"played under {', '.join(passed)}")

    async def _play(self, stage: Stage) -> Seen:
        self._on_step(stage.name)
        number = len(self._found) + 1
        seen = await play(stage, self._subject, self._place, self._limits, self._token, number)
        if seen.fault is None and any(map(at_fault, seen.rivals)):
            rival = next(filter(at_fault, seen.rivals))
            raise AttemptVoid("opponent", f"{seen.stage.rival} failed by {rival.reason}")
        self._found.append(seen)
        return seen

    def _wrong(self, seen: Seen) -> Row | None:
        """The row of the bot's fault in a stage; None where it had none. A row that has been said
        already is said under the stage's name."""
        if seen.fault is not None:
            row = faults.failed(seen, seen.fault, self._limits)
        elif seen.broken in ("stall", "overrun"):
            row = faults.stalled(seen, self._limits)
        else:
            return None
        return row._replace(name=seen.stage.name) if row.name in self._said else row


def capped(rules: Ruleset, deals: int) -> Ruleset:
    """The same rules, with games that end after so many deals: a weak bot's would last too long."""
    return replace(rules, deal_cap=min(deals, rules.deal_cap))


def shapes(known: Ruleset) -> list[Ruleset]:
    """A preset for each way in which rules differ for a bot, those of `known` left out."""
    found = {_shape(known): known}
    for rules in PRESETS.values():
        found.setdefault(_shape(rules), rules)
    return sorted(list(found.values())[1:], key=lambda rules: rules.players)


def _shape(rules: Ruleset) -> tuple[object, ...]:
    return (
        rules.knock_limit,
        rules.ace_upcard,
        rules.first_turn,
        rules.stock_end,
        rules.layoff,
        rules.players,
        rules.columns,
    )
