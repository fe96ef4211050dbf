# pyright: basic
# (PettingZoo and Gymnasium leave much of their own types open; strict checks would only find that.)
"""The rules as a PettingZoo environment (AEC), for learning: `pip install -e '.[pettingzoo]'`.

Agents are seats, "seat_0" and on. An observation is made of what the seat may see, by inclusion,
and of nothing else. Melds and layoffs are the referee's: those of least deadwood. Actions:

| number | action |
|---|---|
| 0 | leave the offered upcard |
| 1 | take the top of the discard pile |
| 2 | draw from the stock |
| 3 | declare big gin |
| 4 | arrange the hand after a knock, laying off where that is allowed |
| 5-56 | discard card 0-51 |
| 57-108 | discard card 0-51 and knock, or go gin |

An observation is a dict: `action_mask`, 1 for each legal action (all 0 when it is not the seat's
turn), and `observation`, numbers from 0 to 1: `features` has their names and places. Other seats
come in turn order, the left neighbour first.

Rewards come when a deal ends: the points of the seat's side, less the mean of the other sides'. An
episode is one deal, or with `unit="game"` a whole game. `reset(seed=…)` names the cards; without a
seed each episode has new ones.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ImportError(
        f"the environment needs {error.name}: in the clone of Knockbox, with the pip of its .venv, "
        "pip install -e '.[pettingzoo]'"
    ) from error

from referee.deck import Decks, fresh_secret, seed_secret
from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import PACK, show
from referee.rules.deal import Deal, Illegal, Phase, act, start
from referee.rules.game import Game
from referee.rules.ruleset import Ruleset, resolve
from referee.rules.view import Seen, options_of, seen

DISCARD, KNOCK, ACTIONS = 5, 5 + PACK, 5 + 2 * PACK
_PLAIN: Final[tuple[Action, ...]] = (Decline(), Take(), Draw(), BigGin(), LayOff())
_TOOK, _DISCARDED = 2, 4
# Scales that bring numbers below one; what is more counts as one.
_MOST_LIMIT, _MOST_MULTIPLIER, _MOST_SCORE = 10, 4, 500


def env(**options: Any) -> AECEnv:
    """The environment with PettingZoo's usual guards: illegal actions end it, order is enforced."""
    guarded = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-100)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


def features(players: int) -> Mapping[str, slice]:
    """Where each part of an observation stands, by name."""
    parts: list[tuple[str, int]] = [("hand", PACK), ("top", PACK), ("below_top", PACK)]
    parts += [(f"known_{place}", PACK) for place in range(1, players)]
    parts += [("phase", 4), ("dealer", players), ("stock", 1), ("limit", 1), ("multiplier", 1)]
    parts += [("scores", players)]
    places, at = {}, 0
    for name, size in parts:
        places[name] = slice(at, at + size)
        at += size
    return places


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's own name for it
    """The environment without guards: an illegal action raises `Illegal`.

    `rules` is a preset's name, or an object of a preset and its changes; `unit` "deal" or "game".
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - what the base class has
        "name": "knockbox_v1",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(
        self, rules: object = "danish", unit: str = "deal", render_mode: str | None = None
    ) -> None:
        super().__init__()
        if unit not in ("deal", "game"):
            raise ValueError('unit: "deal" or "game"')
        self.rules: Ruleset = resolve(rules)
        self.render_mode = render_mode
        players = self.rules.players
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.features = features(players)
        self._size = max(part.stop for part in self.features.values())
        self._whole = unit == "game"
        self._decks = Decks(fresh_secret(), (), self.rules)
        self._episode = 0
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (self._size,), np.float32),
                "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of an agent's observations; the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The space of an agent's actions; the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode. The same seed gives the same cards, and the same after it.

        There are no `options`.
        """
        del options
        if seed is not None:
            self._decks = Decks(seed_secret(f"pettingzoo {seed}"), (), self.rules)
            self._episode = 0
        else:
            self._episode += 1
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._game = Game(self.rules, self._decks.first_dealer(self._episode, 0))
        self._deal = self._next_deal()
        self.agent_selection = self._turn()

    def step(self, action: int | None) -> None:
        """Let the selected agent act; None for one that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action is None:
            raise ValueError("an agent that is not done must act")
        act(self._deal, self._action(int(action)))
        outcome = self._deal.outcome
        if outcome is not None:
            self._reward(outcome.points)
            self._game.record(outcome)
            if self._game.over or not self._whole:
                self.terminations = dict.fromkeys(self.agents, True)
            else:
                self._deal = self._next_deal()
        if self._deal.outcome is None:
            self.agent_selection = self._turn()
        self._accumulate_rewards()
        if self.render_mode == "human":
            print(self._text())

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, whoever is to act."""
        seat = self.possible_agents.index(agent)
        sight = seen(self._deal, seat)
        found = np.zeros(self._size, np.float32)
        for name, values in self._parts(sight):
            found[self.features[name]] = values
        return {"observation": found, "action_mask": self._mask(seat)}

    def render(self) -> str | None:
        """The table in text, as nobody at it sees it."""
        text = self._text()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """There is nothing to close."""

    def _turn(self) -> str:
        return self.possible_agents[self._deal.turn]

    def _next_deal(self) -> Deal:
        number = self._game.deals + 1
        place = self._episode, 0, number
        shuffle = self._decks.reshuffle(*place)
        return start(self.rules, number, self._game.dealer, self._decks.dealing(*place), shuffle)

    def _action(self, number: int) -> Action:
        if number < DISCARD:
            return _PLAIN[number]
        if not number < ACTIONS:
            raise Illegal("action", f"{number} is no action")
        card = (number - DISCARD) % PACK
        return Discard(card) if number < KNOCK else Knock(card)

    def _reward(self, points: tuple[int, ...]) -> None:
        others = len(points) - 1
        for seat, agent in enumerate(self.possible_agents):
            own = points[self.rules.side_of[seat]]
            self.rewards[agent] = own - (sum(points) - own) / others

    def _mask(self, seat: int) -> np.ndarray:
        mask = np.zeros(ACTIONS, np.int8)
        if self._deal.turn != seat:
            return mask
        may = options_of(self._deal, seat, want_deadwood=False)
        layoff = self._deal.phase is Phase.LAYOFF
        mask[:DISCARD] = (may.may_decline, may.may_take, may.may_draw, may.may_big_gin, layoff)
        mask[DISCARD:KNOCK] = _bits(may.discards)
        mask[KNOCK:] = _bits(may.knocks)
        return mask

    def _parts(self, sight: Seen) -> Iterator[tuple[str, Any]]:
        players, seat = self.rules.players, sight.seat
        yield "hand", _bits(sight.hand)
        yield "top", _bits(1 << sight.pile[-1] if sight.pile else 0)
        yield "below_top", _bits(sum(1 << card for card in sight.pile[:-1]))
        for place, other in enumerate(self.rules.left_of(seat), 1):
            yield f"known_{place}", _bits(_known(sight.events, other))
        if sight.phase is not Phase.OVER:
            yield "phase", np.eye(4)[sight.phase - 1]
        yield "dealer", np.eye(players)[(sight.dealer - seat) % players]
        yield "stock", sight.stock / PACK
        yield "limit", sight.limit / _MOST_LIMIT
        yield "multiplier", min(1.0, sight.multiplier / _MOST_MULTIPLIER)
        points, side_of = self._game.points, self.rules.side_of
        in_turn = (seat, *self.rules.left_of(seat))
        yield "scores", [min(1.0, points[side_of[one]] / _MOST_SCORE) for one in in_turn]

    def _text(self) -> str:
        deal = self._deal
        lines = [f"deal {deal.number}, {deal.phase.name.lower()}, {deal.stock_count} in the stock"]
        lines += [
            f"  {agent}: {show(deal.hands[seat])}"
            for seat, agent in enumerate(self.possible_agents)
        ]
        lines.append(f"  pile: {show(sum(1 << card for card in deal.pile))}")
        return "\n".join(lines)


def _bits(cards: int) -> np.ndarray:
    """A set of cards as 52 zeros and ones."""
    data = np.frombuffer(cards.to_bytes(7, "little"), np.uint8)
    return np.unpackbits(data, bitorder="little")[:PACK]


def _known(events: bytes, seat: int) -> int:
    """Cards that a seat has taken from the pile and not discarded since."""
    known = 0
    for what, card in zip(events[::2], events[1::2], strict=True):
        if what & 15 == seat:
            if what >> 4 == _TOOK:
                known |= 1 << card
            elif what >> 4 == _DISCARDED:
                known &= ~(1 << card)
    return known
