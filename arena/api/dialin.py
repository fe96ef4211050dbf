"""DialService: bots that dial in come online, are shown the seats they are to take, and answer.

What is offered stands in the store, put there by workers; here it is shown to whom it concerns.
"""

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

import grpc

from arena.api.calls import Calls, Room
from arena.api.door import Caller
from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import dial_pb2 as pb
from workers.store import DOWN, Store
from workers.store.dial import ENDED, REFUSED, TAKEN, Offer

NAME = "knockbox.v1.DialService"
SLOTS_MOST = 64
REVISION_MOST = 64
WHY_MOST = 200

REPLACED = "another agent of this bot has come"
UNHEARD = "nothing was heard of this agent for too long"
BUSY = "so many agents are here already; come again later"
ENOUGH = "so many agents of yours are here already (the arena's KNOCKBOX_DIAL_STREAMS_EACH)"


class Terms(NamedTuple):
    """On what terms bots dial in; seconds. `streams` agents at once, `each` of one owner; `beat_s`
    between two beats of an agent, which is gone after `lease_s` without one; `look_s` between two
    looks for offers. An author brings `a_day` new bots and revisions in 24 hours, 0: any number."""

    streams: int = 256
    each: int = 64
    beat_s: float = 5.0
    lease_s: float = 20.0
    look_s: float = 0.1
    a_day: int = 50


USUAL = Terms()


class DialDesk:
    """The bots of one store that dial in. `woken` sends out so many matches that wait for a bot."""

    def __init__(
        self,
        store: Store,
        terms: Terms,
        woken: Callable[[str, int], None],
        stop: threading.Event,
        *,
        reachable: bool,
    ) -> None:
        self._store = store
        self._terms = terms
        self._woken = woken
        self._stop = stop
        self._reachable = reachable
        self._board = _Board(store, terms.look_s, stop)
        self._room = Room(terms.streams, BUSY)

    def handler(self, make: Calls) -> grpc.GenericRpcHandler:
        """The service, for the server whose calls `make` makes."""
        return grpc.method_handlers_generic_handler(
            NAME,
            {
                "AddDialBot": make.owned(pb.AddDialBotRequest, self.add),
                "Offers": make.stays(pb.OffersRequest, self.offers),
                "BeatDial": make.owned(pb.BeatDialRequest, self.beat),
                "AnswerOffer": make.owned(pb.AnswerOfferRequest, self.answer),
            },
        )

    def add(self, request: pb.AddDialBotRequest, caller: Caller) -> pb.AddDialBotResponse:
        """Register a bot. Raises RefusalError, StoreError."""
        if not self._reachable:
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION,
                "no bot can dial in: the arena has no network address; `knockbox up --listen`",
            )
        if len(request.revision) > REVISION_MOST or not (request.revision or "-").isprintable():
            raise invalid("revision", f"at most {REVISION_MOST} printable characters")
        version = version_of(request.name, request.revision)
        a_day = 0 if caller.everything else self._terms.a_day
        added = self._store.dial.add(request.name, version, caller.name, a_day)
        return pb.AddDialBotResponse(version=version, added=added)

    def offers(
        self, request: pb.OffersRequest, caller: Caller, wanted: Callable[[], bool]
    ) -> Iterator[pb.OffersResponse]:
        """Keep a bot online while `wanted`. Raises RefusalError, StoreError."""
        self._own(request.bot, caller)
        if not 1 <= request.slots <= SLOTS_MOST:
            raise invalid("slots", f"1 to {SLOTS_MOST}")
        with self._room.held(NAME):
            yield from self._serve(request.bot, request.slots, wanted)

    def beat(self, request: pb.BeatDialRequest, caller: Caller) -> pb.BeatDialResponse:
        """An agent lives. Raises RefusalError, StoreError."""
        self._own(request.bot, caller)
        if not self._store.dial.beat(request.bot, request.session, self._lease_ms):
            self._still_here(request.bot, request.session)
        return pb.BeatDialResponse()

    def answer(self, request: pb.AnswerOfferRequest, caller: Caller) -> pb.AnswerOfferResponse:
        """What becomes of an offer. Raises RefusalError, StoreError."""
        self._own(request.bot, caller)
        self._still_here(request.bot, request.session)
        match request.WhichOneof("answer"):
            case "taken":
                word = TAKEN
            case "refused":
                why = " ".join(request.refused.why[:WHY_MOST].split())
                word = f"{REFUSED} {why if why.isprintable() else ''}"
            case "ended":
                ended = request.ended
                word = f"{ENDED} {min(ended.code, 255)} {min(ended.signal, 64)}"
            case _:
                raise invalid("answer", "one of taken, refused and ended")
        self._store.dial.tell(request.bot, request.offer_id, word)
        return pb.AnswerOfferResponse()

    @property
    def _lease_ms(self) -> int:
        return round(self._terms.lease_s * 1000)

    def _own(self, name: str, caller: Caller) -> None:
        """Raise RefusalError for a bot that is not the caller's, or does not dial in; NotFound."""
        bot = self._store.bots.get(name)
        if bot.owner != caller.name:
            raise RefusalError(grpc.StatusCode.PERMISSION_DENIED, f"{name} is not your bot")
        if not self._store.dial.known([bot.version]):
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"{name} is played from its files here, it does not dial in",
            )

    def _serve(
        self, bot: str, slots: int, wanted: Callable[[], bool]
    ) -> Iterator[pb.OffersResponse]:
        session = secrets.token_hex(8)
        self._store.dial.come(bot, session, slots, self._lease_ms)
        try:
            known: set[str] = set()
            rows = self._board.rows(bot)
            online = pb.Online(
                session=session,
                beat_ms=round(self._terms.beat_s * 1000),
                lease_ms=self._lease_ms,
                open=[row.id for row in rows],
            )
            yield pb.OffersResponse(online=online)
            self._woken(bot, slots)
            while wanted() and not self._stop.is_set():
                # What is over comes first: an agent's slot is free before it is offered another.
                for gone in known - {row.id for row in rows}:
                    yield pb.OffersResponse(withdrawn=pb.Withdrawn(offer_id=gone))
                for row in rows:
                    if row.id not in known:
                        yield pb.OffersResponse(offer=_message(row))
                known = {row.id for row in rows}
                if not self._board.changed(bot, known, self._terms.beat_s):
                    self._still_here(bot, session)
                    yield pb.OffersResponse(still=pb.Still())
                rows = self._board.rows(bot)
        finally:
            with suppress(*DOWN):  # then its lease ends without a word
                self._store.dial.go(bot, session)

    def _still_here(self, bot: str, session: str) -> None:
        """Raise RefusalError where this agent is no longer the bot's."""
        found = self._store.dial.session(bot)
        if found != session:
            why = REPLACED if found else UNHEARD
            code = grpc.StatusCode.ABORTED if found else grpc.StatusCode.UNAVAILABLE
            raise RefusalError(code, why)


class _Board:
    """All open offers, looked at for all agents together by whoever waits."""

    def __init__(self, store: Store, look_s: float, stop: threading.Event) -> None:
        self._store = store
        self._look_s = look_s
        self._stop = stop
        self._news = threading.Condition()
        self._looking = False
        self._rows: list[Offer] = []

    def rows(self, bot: str) -> list[Offer]:
        """A bot's open offers now. Raises one of DOWN."""
        return [row for row in self._store.dial.offers() if row.bot == bot]

    def changed(self, bot: str, known: set[str], wait_s: float) -> bool:
        """Wait until the bot's open offers are others than `known`, so long at most; whether they
        are. One of those who wait looks for all; raises one of DOWN in that one."""
        rounds = max(1, round(wait_s / self._look_s))
        for _ in range(rounds):
            self._look()
            if {row.id for row in self._rows if row.bot == bot} != known:
                return True
        return False

    def _look(self) -> None:
        """Wait for the next look at the store, or make it."""
        with self._news:
            if self._looking:
                self._news.wait(2 * self._look_s)
                return
            self._looking = True
        try:
            self._stop.wait(self._look_s)
            self._rows = self._store.dial.offers()
        finally:
            with self._news:
                self._looking = False
                self._news.notify_all()


def version_of(name: str, revision: str) -> str:
    """The version of a bot that dials in: no files are known, so its name and revision are it."""
    text = f"knockbox dial-in bot 1\n{name}\n{revision}\n"
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _message(row: Offer) -> pb.Offer:
    return pb.Offer(
        offer_id=row.id,
        match_id=row.match_id,
        leg=row.leg,
        seat=row.seat,
        host=row.host,
        port=row.port,
        ticket=row.ticket,
        certificate=bytes.fromhex(row.certificate),
        taken=row.told.startswith(TAKEN),
    )
