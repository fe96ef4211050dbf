"""Makes a sealed replay count: derives the result from it, rates it, writes it to the log. Once.

The result is taken from the replay, every event of which goes through the rules again; nothing that
a worker says of it is believed. Whatever is repeated, answered late or done twice changes nothing.
No Celery here.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

from referee import deck
from referee.rules.ruleset import resolve
from workers import ledger, ratings, score
from workers.folders import Folders, settle
from workers.schedule import Fixture, fixture
from workers.sealed import Sealed, SealedError, read
from workers.store import NotFound, Store
from workers.store.log import Change, Head
from workers.store.matches import Limits, Match

_MOVES = 1000


class Verdict(NamedTuple):
    """What became of a recording.

    `word`: "recorded"; "dup", it was before; "conflict", another result was; "stale", a later
    attempt has the match; "unknown", no such match; "queued" or "dead", the replay could not be
    believed and the attempt is void.
    """

    word: str
    tournament: str = ""


class Recorder:
    """Records matches of one store. `read` derives a replay's content, or raises SealedError."""

    def __init__(
        self,
        store: Store,
        folders: Folders,
        limits: Limits,
        read: Callable[[Path], Sealed] = read,
    ) -> None:
        self._store = store
        self._folders = folders
        self._limits = limits
        self._read = read
        self._log = structlog.get_logger("recorder")

    def record(self, match_id: str, fence: int) -> Verdict:
        """Record the replay that attempt `fence` has left in the folder for incoming ones.

        Raises one of `workers.store.DOWN` where the store does not answer, and OSError where the
        disk does not; then nothing has changed, or all has, and it may be called again.
        """
        try:
            match = self._store.matches.get(match_id)
            planned = fixture(self._store, match_id)
        except NotFound:
            return Verdict("unknown")
        incoming = self._folders.incoming(match_id, fence)
        if match.state == "done":
            return self._again(match, fence, incoming)
        if match.state != "sealed" or match.fence != fence:
            incoming.unlink(missing_ok=True)
            return Verdict("stale", match.tournament)
        # A recorder that was killed may have moved the file already.
        kept = self._folders.replay(match_id)
        try:
            sealed = self._read(incoming if incoming.exists() else kept)
        except SealedError as error:
            return self._refuse(match, "replay", str(error))
        if wrong := mismatch(sealed, planned, fence):
            return self._refuse(match, "mismatch", wrong)
        if incoming.exists():
            settle(incoming, kept)
        word = self._write(match_id, fence, sealed, planned)
        self._log.info(word, match=match_id, fence=fence, digest=sealed.digest)
        return Verdict(word, match.tournament)

    def _again(self, match: Match, fence: int, incoming: Path) -> Verdict:
        """A match that is recorded: the same digest is no news, another one is an alarm."""
        if not incoming.exists():
            return Verdict("dup", match.tournament)
        try:
            digest = self._read(incoming).digest
        except SealedError as error:
            digest = f"unreadable: {error}"
        if digest == match.digest or fence != match.fence:
            incoming.unlink(missing_ok=True)
            return Verdict("dup" if digest == match.digest else "stale", match.tournament)
        incoming.replace(incoming.with_suffix(".conflict"))
        words = f"attempt {fence} has left another result, {digest}; the first one counts"
        self._store.log.alarm("conflict", match.id, words)
        self._log.error("conflict", match=match.id, fence=fence, digest=digest)
        return Verdict("conflict", match.tournament)

    def _refuse(self, match: Match, cause: str, why: str) -> Verdict:
        """The platform has failed, no bot: the attempt is void, and a person should know."""
        word = self._store.matches.void(match.id, match.fence, cause, self._limits)
        self._store.log.alarm(cause, match.id, f"attempt {match.fence}: {why}")
        if word == "dead":
            self._store.log.alarm_dead(match.id, cause)
        self._log.error("replay refused", match=match.id, fence=match.fence, cause=cause, why=why)
        with suppress(FileNotFoundError):
            path = self._folders.incoming(match.id, match.fence)
            path.replace(path.with_suffix(".refused"))
        return Verdict(word, match.tournament)

    def _write(self, match_id: str, fence: int, sealed: Sealed, planned: Fixture) -> str:
        for _ in range(_MOVES):
            head = self._store.log.head()
            entry = self._entry(sealed, planned, fence)
            text, text_hash = ledger.chained(entry, head.seq + 1, head.hash)
            word = self._try(match_id, fence, sealed.digest, head, text, text_hash, entry)
            if word != "moved":
                return word
        raise AssertionError("the log's head moved a thousand times; there is one recorder only")

    def _try(
        self,
        match_id: str,
        fence: int,
        digest: str,
        head: Head,
        text: str,
        text_hash: str,
        entry: ledger.Entry,
    ) -> str:
        changes = [
            Change(bot["name"], bot["version"], bot["base"], bot["add"]) for bot in entry["bots"]
        ]
        return self._store.log.record(match_id, fence, digest, head, text, text_hash, changes)

    def _entry(self, sealed: Sealed, planned: Fixture, fence: int) -> ledger.Entry:
        rules, count = sealed.rules, len(sealed.bots)
        sides, legs = len(rules.sides), rules.players
        units = score.rated_units(sealed.games, legs)
        tallies = score.tally(sealed.games, count, sides, legs)
        scores = score.rated_scores(units, rules.sides, legs, rules.target is None)
        names, versions = zip(*sealed.bots, strict=True)
        facts = ledger.Facts(
            tournament=planned.tournament.id,
            match=planned.match_id,
            fence=fence,
            digest=sealed.digest,
            seeded=sealed.seeded,
            # a bot cannot win from itself, whatever it is called
            rated=len(set(versions)) == count
            and len(set(names)) == count
            and (planned.tournament.plan.rate_same_owner or self._owners(names) == count),
            scale=score.scale(sides, legs),
            sides=rules.sides,
            recorded_ms=self._store.queue.now_ms(),
            commitments=[one.hex() for one in sealed.commitments],
        )
        before = ratings.before(self._store, sealed.bots)
        return ledger.result(facts, before, tallies, scores, score.spread(units, rules.sides))

    def _owners(self, names: Iterable[str]) -> int:
        return len({self._store.bots.get(name).owner for name in names})


def mismatch(sealed: Sealed, planned: Fixture, fence: int) -> str:
    """What in a replay's header is not what attempt `fence` was to be; '' where all of it is."""
    plan = planned.tournament.plan
    expected = {
        "match": (sealed.match_id, planned.match_id),
        "tournament": (sealed.tournament_id, planned.tournament.id),
        "rules": (sealed.rules, resolve(plan.rules)),
        "units": (sealed.units, plan.units),
        "bots": (sealed.bots, tuple((bot.name, bot.version) for bot in planned.bots)),
        "dial_in": (sealed.dial_in, planned.dial_in),
        "commitment": (sealed.commitment, deck.commitment(planned.secret(fence))),
        "commitments": (sealed.commitments, planned.commitments(fence)),
        "seeded": (sealed.seeded, plan.seed is not None),
    }
    for what, (found, due) in expected.items():
        if found != due:
            return f"{what} is not that of the match"
    return ""
