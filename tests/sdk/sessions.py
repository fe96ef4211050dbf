"""What the conformance programs are put through: legs of real refereed play, the same each time.

A leg is played here in memory, by the rules and in the referee's own messages. The seat that is
watched is the Python SDK with the program's function in it; it writes down what every program must
write and answer when it hears the same messages. The others play by the simple policies below. The
decks are stacked, so that a short leg meets every way in which a deal can go.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from json import dumps
from random import Random
from typing import Any, NamedTuple

from knockbox.v1 import play_pb2
from referee.board import Board as Game
from referee.deck import Decks, commitment, seed_secret
from referee.rules.cards import mask
from referee.rules.deal import Dealing
from referee.rules.fields import Ruleset
from referee.rules.ruleset import resolve
from referee.wire.play import action_of
from referee.wire.rules import to_proto
from referee.wire.turns import deals_over, deals_started, turn, turns_message
from sample_bots.python.knockbox_sdk import actions
from sample_bots.python.knockbox_sdk.board import Board, DealResult, result_of
from sample_bots.python.knockbox_sdk.state import State
from sample_bots.python.knockbox_sdk.stubs import play_pb2 as told_pb2
from sample_bots.python.knockbox_sdk.stubs import rules_pb2
from sample_bots.python.knockbox_sdk.view import Seat

ABORTED, STOPPED = "aborted", "stopped"
REFUSED, WHOLE, BROKEN = "refused", "whole", "broken"
"""What may happen after a message: the connection is lost before the answer counted, or after it;
half of the answers are refused, or the whole message; a game ends by somebody's fault."""


class Step(NamedTuple):
    """One message of the referee, what is answered, and what is written because of it.

    `then` says what becomes of the connection after the answer: "", or how it is lost.
    """

    message: bytes
    answer: bytes
    lines: tuple[str, ...]
    then: str = ""


class Session(NamedTuple):
    """A whole leg as one program meets it. `over` is the last message, with its lines."""

    welcome: bytes
    steps: tuple[Step, ...]
    over: Step


@dataclass(frozen=True)
class Plan:
    """One leg. `happens` says what goes wrong after which message."""

    name: str
    rules: Ruleset
    seat: int
    games: int
    seed: str
    deadwood: bool = True
    untimed: bool = False
    reason: play_pb2.Reason.ValueType = play_pb2.REASON_PLAYED
    happens: dict[int, str] = field(default_factory=dict[int, str])


PLANS = (
    Plan(
        "two",
        resolve({"preset": "spanish", "columns": 3, "deal_cap": 3, "big_gin_bonus": 31}),
        seat=0,
        games=9,
        seed="two 4",
        happens={2: REFUSED, 5: ABORTED, 9: WHOLE, 14: STOPPED},
    ),
    Plan(
        "partners",
        resolve({"preset": "partnership", "layoff": "all", "deal_cap": 3, "big_gin_bonus": 31}),
        seat=2,
        games=7,
        seed="partners 263",
        reason=play_pb2.REASON_TIME,
    ),
    Plan(
        "three",
        resolve(
            {"preset": "three_handed", "stock_end": "reshuffle", "turn_cap": 36, "deal_cap": 3}
            | {"may_return_taken_card": True, "first_turn": "offer", "ace_high_runs": True}
        ),
        seat=1,
        games=7,
        seed="three 137",
        deadwood=False,
        untimed=True,
        happens={3: ABORTED, 20: BROKEN},
    ),
)


# Who plays.


def conformance(state: State) -> actions.Action:
    """What the programs answer."""
    return state.legal[state.chance % len(state.legal)]


def eager(state: State) -> actions.Action:
    """Goes out as soon as it can."""
    if state.may_big_gin:
        return state.big_gin()
    if state.knocks:
        return state.knock(state.best_knock)
    if state.may_take and state.deadwood_if_taken < state.deadwood:
        return state.take()
    return state.otherwise()


def quiet(state: State) -> actions.Action:
    """Never ends a deal."""
    return state.otherwise()


class Player:
    """A seat of the leg."""

    def __init__(self, seat: Seat, bots: Sequence[Any]) -> None:
        self.seat = seat
        self.boards = [Board(bot) for bot in bots]

    def answer(self, question: bytes, clock_ms: int = 0) -> tuple[State, bytes]:
        """What it sees, and its Actions with this one answer."""
        asked = told_pb2.Turn.FromString(question)
        board = self.boards[asked.board]
        board.hear(asked)
        state = State(self.seat, board, asked, clock_ms)
        out = told_pb2.Actions()
        actions.write(board.bot(state), out)
        return state, out.SerializeToString()

    def begin(self, message: bytes) -> None:
        """A deal starts, or is told again."""
        deal = told_pb2.DealStarted.FromString(message)
        self.boards[deal.board].begin(deal)


def deal_over_line(result: DealResult) -> str:
    """What a program writes when it hears how a deal ended."""
    told = {key: value for key, value in result._asdict().items() if key != "hands"}
    return dumps({"deal_over": told}, separators=(",", ":"))


# What is dealt.


class Stacked:
    """Decks in which one seat has ten of eleven melded cards, and often draws the last one."""

    def __init__(self, plan: Plan) -> None:
        self._decks = Decks(seed_secret(plan.seed), (), plan.rules)
        self._plan = plan
        self.first_dealer = self._decks.first_dealer
        self.reshuffle = self._decks.reshuffle

    def dealing(self, unit: int, leg: int, deal: int) -> Dealing:
        """The cards of one deal."""
        fair = self._decks.dealing(unit, leg, deal)
        chance = Random(f"{self._plan.seed} {unit} {deal}")
        if unit % 3 == 2 and deal == 1:
            return fair
        seat = chance.choice((self._plan.seat, chance.randrange(self._plan.rules.players)))
        wanted = _melds(chance)
        spoilt = chance.choice((0, 1, 1, 2))
        return _swapped(fair, seat, wanted[: 10 - spoilt], wanted[10:] if spoilt < 2 else [])


def _melds(chance: Random) -> list[int]:
    """Eleven cards: a run of four, a run of three and four of a kind, in some order."""
    rank, low, high = chance.randrange(13), *chance.sample(range(4), 2)
    four = [13 * suit + rank for suit in range(4)]
    runs: list[int] = []
    for suit, length in ((low, 4), (high, 3)):
        starts = [at for at in range(13 - length + 1) if not at <= rank < at + length]
        start = chance.choice(starts)
        runs += range(13 * suit + start, 13 * suit + start + length)
    cards = runs + four
    last = cards.pop(chance.choice((0, 10)))
    chance.shuffle(cards)
    return [*cards, last]


def _swapped(fair: Dealing, seat: int, held: list[int], drawn: list[int]) -> Dealing:
    """The same dealing with some cards changing places, so that the seat has what is wanted."""
    place = list(range(52))

    def swap(one: int, other: int) -> None:
        place[one], place[other] = place[other], place[one]

    hands = [[card for card in range(52) if hand >> card & 1] for hand in fair.hands]
    slots = [*zip(hands[seat], held, strict=False), *zip(fair.piles[seat], drawn, strict=False)]
    for slot, card in slots:
        swap(slot, place.index(card))
    return Dealing(
        tuple(mask([place[card] for card in hand]) for hand in hands),
        place[fair.upcard],
        tuple(tuple(place[card] for card in pile) for pile in fair.piles),
        fair.pile_of,
    )


# The leg.


def session(plan: Plan) -> Session:
    """Play it."""
    return _Leg(plan).played()


class _Leg:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.chance = Random(plan.seed)
        rules = rules_pb2.Ruleset.FromString(to_proto(plan.rules).SerializeToString())
        self.players = [
            Player(
                Seat(seat, rules, plan.untimed),
                [self._bot(seat, game) for game in range(plan.games)],
            )
            for seat in range(plan.rules.players)
        ]
        decks: Any = Stacked(plan)
        self.games = [Game(plan.rules, decks, n, n, 0, plan.games) for n in range(plan.games)]
        self.refused: list[play_pb2.Refused] = []
        self.started: list[bytes] = []
        self.over: list[bytes] = []

    def _bot(self, seat: int, game: int) -> Any:
        if seat == self.plan.seat:
            return conformance
        return eager if (seat + game) % 3 else quiet

    def played(self) -> Session:
        """From the first deals to the end of the last game."""
        for game in self.games:
            self._deal(game)
            self._go_on(game)
        steps = list(self._steps())
        return Session(self._welcome(), tuple(steps), self._last())

    def _steps(self) -> Iterator[Step]:
        again: list[Game] = []
        for number in count():
            due = [game for game in self.games if not game.over and game.seat == self.plan.seat]
            if not due:
                return
            asked = again or self.chance.sample(due, self.chance.randint(1, len(due)))
            happens = self.plan.happens.get(number, "")
            step, answers = self._asked(asked, 0 if self.plan.untimed else 80_000 - 37 * number)
            yield step._replace(then=happens if happens in (ABORTED, STOPPED) else "")
            again = self._answered(asked, answers, happens)

    def _asked(self, games: list[Game], clock_ms: int) -> tuple[Step, list[play_pb2.Action]]:
        """Everything that waits for the seat, with the questions of these games."""
        seat, me = self.plan.seat, self.players[self.plan.seat]
        turns = [turn(game, seat, self.plan.deadwood) for game in games]
        message = turns_message(clock_ms, self.refused, self.started, self.over, turns)
        lines = self._heard()
        answers = play_pb2.Actions()
        for question in turns:
            state, answer = me.answer(question, clock_ms)
            lines.append(state.json())
            answers.MergeFromString(answer)
        request = play_pb2.PlayRequest(actions=answers)
        return Step(message, request.SerializeToString(), tuple(lines)), list(answers.actions)

    def _heard(self) -> list[str]:
        """The seat hears which deals have begun and ended."""
        for message in self.started:
            self.players[self.plan.seat].begin(message)
        results = [result_of(told_pb2.DealOver.FromString(message)) for message in self.over]
        self.refused, self.started, self.over = [], [], []
        return [deal_over_line(result) for result in results]

    def _answered(
        self, asked: list[Game], answers: list[play_pb2.Action], happens: str
    ) -> list[Game]:
        """What comes of the answers; the games that are asked again."""
        again: list[Game] = []
        if happens == WHOLE:
            self.refused = [play_pb2.Refused(code=play_pb2.REFUSAL_CODE_MALFORMED)]
            return asked
        if happens == REFUSED:
            again, illegal = asked[::2], play_pb2.REFUSAL_CODE_ILLEGAL
            self.refused = [play_pb2.Refused(decision=one.decision, code=illegal) for one in again]
        if happens != ABORTED:
            for game, answer in zip(asked, answers, strict=True):
                if game not in again:
                    self._play(game, answer)
        if happens == BROKEN:
            asked[0].break_off(play_pb2.REASON_TIME, {self.plan.seat: play_pb2.REASON_TIME})
            self.over += deals_over(asked[0], [self.plan.seat])
        if happens in (ABORTED, STOPPED):
            again = [game for game in self.games if not game.over]
            self.started = [deals_started(game, [self.plan.seat])[0] for game in again]
        return again

    def _play(self, game: Game, answer: play_pb2.Action) -> None:
        action = action_of(answer)
        assert action is not None
        game.play(action, "")
        self._go_on(game)

    def _go_on(self, game: Game) -> None:
        """Until the seat is asked, or the game is over."""
        while not game.over:
            if game.deal.turn < 0:
                game.end_deal()
                self.over += deals_over(game, [self.plan.seat])
                if not game.over:
                    self._deal(game)
            elif (seat := game.ask()) != self.plan.seat:
                _, answer = self.players[seat].answer(turn(game, seat, True))
                action = action_of(play_pb2.Actions.FromString(answer).actions[0])
                assert action is not None
                game.play(action, "")
            else:
                return

    def _deal(self, game: Game) -> None:
        game.start_deal()
        for seat, message in enumerate(deals_started(game, range(self.plan.rules.players))):
            if seat == self.plan.seat:
                self.started.append(message)
            else:
                self.players[seat].begin(message)

    def _welcome(self) -> bytes:
        plan = self.plan
        clock = play_pb2.ClockSettings(
            bank_per_game_ms=5000, increment_ms=50, cap_ms=5000, untimed=plan.untimed
        )
        welcome = play_pb2.Welcome(
            protocol=1,
            rules=to_proto(plan.rules),
            seat=plan.seat,
            clock=clock,
            commitment=commitment(seed_secret(plan.seed)),
            games=plan.games,
        )
        return play_pb2.PlayResponse(welcome=welcome).SerializeToString()

    def _last(self) -> Step:
        over = play_pb2.MatchOver(reason=self.plan.reason, won=1, lost=self.plan.games - 1)
        for message in self.over:
            over.deals_over.add().ParseFromString(message)
        for message in self.started:
            over.deals_started.add().ParseFromString(message)
        lines = tuple(self._heard())
        return Step(play_pb2.PlayResponse(match_over=over).SerializeToString(), b"", lines)
