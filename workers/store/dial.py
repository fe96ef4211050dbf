"""Bots that dial in: which versions do, whose agent is here with how many slots, and open offers.

A slot is taken by a claim (`Matches.claim`) and free again with the match's lease, however that
ends. An offer is one seat in one leg of a running match: a worker puts it here, the bot's agent is
shown it by the API and answers, the worker reads the answer and takes the offer away.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from workers.names import complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, BotTaken, LimitReached
from workers.store.scripts import Scripts

TAKEN, REFUSED, ENDED = "taken", "refused", "ended"
"""First words of what an agent says of an offer; codes or a reason follow."""


class Offer(NamedTuple):
    """A seat for a bot. `host` may be '': where the arena is. `certificate`: SHA-256, hexadecimal.

    `told` is what its agent has said last, '' for nothing: "taken", "refused WHY", "ended CODE
    SIGNAL".
    """

    bot: str
    match_id: str
    fence: int
    leg: int
    seat: int
    host: str
    port: int
    ticket: str
    certificate: str
    told: str = ""

    @property
    def id(self) -> str:
        """Unique for ever: no attempt comes again."""
        return f"{self.match_id}.{self.fence}.{self.leg}.{self.seat}"


class Agent(NamedTuple):
    """How a bot that dials in stands: `slots` is 0 while it is offline, `since_ms` 0 where it
    never was online. `busy` matches have a slot of it, `waiting` ones wait for one. `declines`
    times in a row it did not take the seat it was offered, which is why it gets none before
    `quiet_until_ms`; 0: it is not quiet now."""

    online: bool
    slots: int
    busy: int
    waiting: int
    since_ms: int
    declines: int = 0
    quiet_until_ms: int = 0

    @property
    def away(self) -> bool:
        """No match can be begun with it now."""
        return not self.online or self.quiet_until_ms > 0

    @property
    def room(self) -> int:
        """Further matches that it can be given now."""
        if self.away:
            return 0
        most = min(self.slots, self.busy + 1) if self.declines else self.slots
        return max(0, most - self.busy - self.waiting)


class Dial:
    """The bots of one store that dial in."""

    def __init__(self, client: Client, scripts: Scripts, now_ms: Callable[[], int]) -> None:
        self._client = client
        self._scripts = scripts
        self._now_ms = now_ms

    def add(self, name: str, version: str, owner: str, a_day: int = 0) -> bool:
        """Register a bot that dials in, or have another version ("sha256:…") of it play; whether it
        is new. An owner brings `a_day` new ones in 24 hours, submissions among them; 0: any number.

        Raises BadName, BotTaken, LimitReached.
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        bot = [keys.bot(name), keys.bot_versions(name), keys.bot_parents(name)]
        word, *rest = self._scripts.run(
            "dial_add",
            [keys.DIAL, keys.author(owner, "day"), *bot, keys.BOTS, keys.FOLDED],
            [a_day, name, fold(name), owner, version],
        )
        match word:
            case "taken":
                raise BotTaken(name, by=rest[0])
            case "day":
                raise LimitReached(
                    "KNOCKBOX_SUBMIT_DAY", f"you have brought {rest[0]} in the last 24 hours"
                )
            case _:
                return word == "added"

    def known(self, versions: Iterable[str]) -> frozenset[str]:
        """Those of `versions` that dial in."""
        asked = [*versions]
        if not asked:
            return frozenset()
        told = self._client.smismember(keys.DIAL, asked)
        return frozenset(one for one, is_one in zip(asked, told, strict=True) if is_one)

    # Agents.

    def come(self, bot: str, session: str, slots: int, lease_ms: int) -> None:
        """An agent is here; one that the bot had before is no longer its agent."""
        self._scripts.run("dial_come", [keys.dial(bot)], [session, slots, lease_ms])

    def beat(self, bot: str, session: str, lease_ms: int) -> bool:
        """The agent lives; False: another one has come, or it was taken for gone."""
        return self._scripts.run("dial_beat", [keys.dial(bot)], [session, lease_ms]) == 1

    def go(self, bot: str, session: str) -> None:
        """The agent goes."""
        self._scripts.run("dial_beat", [keys.dial(bot)], [session, 0])

    def session(self, bot: str) -> str:
        """Who the bot's agent is; '' where none is here."""
        found = self._client.hgetall(keys.dial(bot))
        return found["session"] if found and int(found["until_ms"]) > self._now_ms() else ""

    def agents(self, bots: Iterable[str]) -> dict[str, Agent]:
        """How some bots stand, by name."""
        names, now = [*bots], self._now_ms()
        if not names:
            return {}
        pipe = self._client.pipeline(transaction=False)
        for bot in names:
            pipe.hgetall(keys.dial(bot))
            pipe.zrange(keys.dial(bot, "held"), 0, -1)
            pipe.zcard(keys.dial(bot, "waiting"))
        rows = pipe.execute()
        live = set(self._client.zrangebyscore(keys.LEASES, f"({now}", "+inf"))
        found: dict[str, Agent] = {}
        for place, bot in enumerate(names):
            agent, held, waiting = rows[3 * place : 3 * place + 3]
            ends = int(agent.get("until_ms", 0))
            online = ends > now
            since = int(agent.get("since_ms", 0)) if online else ends
            slots = int(agent["slots"]) if online else 0
            declines, quiet_until = (
                int(agent.get(field, 0)) for field in ("declines", "quiet_until_ms")
            )
            quiet_until = quiet_until if quiet_until > now else 0
            busy = len(live.intersection(held))
            found[bot] = Agent(online, slots, busy, waiting, since, declines, quiet_until)
        return found

    def wake(self, bot: str, most: int) -> list[str]:
        """Matches that wait for a bot, `most` of them and no more than it can begin; sent from now
        on, so send them."""
        own = [keys.dial(bot), keys.dial(bot, "held"), keys.dial(bot, "waiting")]
        return self._scripts.run(
            "dial_wake", [*own, keys.DUE, keys.SENT, keys.LEASES], [most, keys.match("")]
        )

    def sits(self, bot: str) -> None:
        """A bot has taken the first seat of a match: what it did not take before is forgotten."""
        fields = ("declines", "declined_ms", "quiet_until_ms", "asked")
        self._client.hdel(keys.dial(bot), *fields)

    # Offers.

    def offer(self, offer: Offer) -> None:
        """Show a seat to its bot's agent."""
        self._client.hset(keys.OFFERS, offer.id, json.dumps(offer))

    def told(self, offer_id: str) -> str:
        """What the agent has said last of an offer."""
        return self._client.hget(keys.OFFERS_TOLD, offer_id) or ""

    def tell(self, bot: str, offer_id: str, word: str) -> bool:
        """The agent says something; False: the offer is over, or another bot's. That its program
        has ended is its last word."""
        text = self._client.hget(keys.OFFERS, offer_id)
        if text is None or Offer(*json.loads(text)).bot != bot:
            return False
        args = [offer_id, word]
        return self._scripts.run("dial_tell", [keys.OFFERS, keys.OFFERS_TOLD], args) == 1

    def take_away(self, *offer_ids: str) -> None:
        """Offers are over."""
        self._client.hdel(keys.OFFERS, *offer_ids)
        self._client.hdel(keys.OFFERS_TOLD, *offer_ids)

    def offers(self) -> list[Offer]:
        """All open offers. Those of attempts that have ended without a word are taken away."""
        texts = self._client.hgetall(keys.OFFERS)
        if not texts:
            return []
        said = self._client.hgetall(keys.OFFERS_TOLD)
        rows = {key: Offer(*json.loads(text)) for key, text in texts.items()}
        pipe = self._client.pipeline(transaction=False)
        for offer in rows.values():
            pipe.hmget(keys.match(offer.match_id), ["state", "fence"])
        states: Mapping[str, Any] = dict(zip(rows, pipe.execute(), strict=True))
        over = [key for key, row in rows.items() if states[key] != ["running", str(row.fence)]]
        if over:
            self.take_away(*over)
        return [
            offer._replace(told=said.get(key, "")) for key, offer in rows.items() if key not in over
        ]
