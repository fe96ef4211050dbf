"""A replay as a person would write it down: one deal with every turn, or a match in short.

Plain text for a terminal. Names and notes come from bots and strangers' files: whatever does not
print is shown escaped.
"""

from collections.abc import Iterable

from knockbox.v1 import play_pb2, replay_pb2
from referee.deck import Decks
from referee.frames import game_name
from referee.replay import Replay, ReplayError
from referee.results import bot_scores, rules_of, seat_of
from referee.rules.cards import name, show
from referee.rules.deal import Deal, start
from referee.rules.events import (
    DeclaredBigGin,
    Declined,
    Discarded,
    Drew,
    Event,
    Knocked,
    LaidOff,
    Reshuffled,
    Took,
)
from referee.rules.melds import arrange
from referee.rules.ruleset import Ruleset
from referee.rules.scoring import Outcome
from referee.verify import playback
from referee.wire.replay import dealing_from_proto, reason_word

_INDENT = " " * 5


def printable(text: str) -> str:
    r"""`text` with everything that does not print (controls, direction marks) as \u{…}."""
    return "".join(
        char if char.isprintable() and char != "\\" else rf"\u{{{ord(char):x}}}" for char in text
    )


def deal_text(replay: Replay, leg: int, unit: int, deal: int) -> str:
    """One deal, `deal` from 1. A ReplayError where there is none, or where it cannot be."""
    game = replay.game(unit, leg)
    where = f"{game_name(leg, unit)} deal {deal}"
    if not 1 <= deal <= len(game.deals):
        raise ReplayError(where, "is not in the file")
    record = game.deals[deal - 1]
    rules = rules_of(replay.header)
    names = _names(replay, rules, leg)
    state = _dealt(replay, rules, record, (unit, leg, deal), where)
    lines = [
        f"{_title(replay)}, leg {leg} unit {unit} deal {deal}",
        _conditions(state, names),
        *_hands(state, names),
        *_turns(record, state, names, where),
    ]
    if state.outcome is not None and record.HasField("result"):
        scores = _scores(game.deals[:deal], len(rules.sides))
        lines.extend(_outcome(state.outcome, state, names))
        lines.append(f"Score: {_by_side(rules, names, scores)}")
    else:
        lines.append(f"The game was broken off here{_reason(game, names)}")
    return "\n".join(lines) + "\n"


def _dialled(header: replay_pb2.ReplayHeader) -> list[str]:
    """Who dialled in, and what that made of the match; nothing where nobody did."""
    names = [printable(bot.name) for bot in header.bots if bot.dial_in]
    if not names:
        return []
    attempt = f"attempt {len(header.commitments)}, with a secret of its own"
    return [f"Dialled in: {', '.join(names)}; each leg has cards of its own; {attempt}"]


def _sandboxed(header: replay_pb2.ReplayHeader) -> str:
    """Who was closed off: none of those that dialled in, whatever the others were."""
    started = [bot for bot in header.bots if not bot.dial_in]
    if not header.sandboxed or not started:
        return "not sandboxed"
    return "sandboxed" if len(started) == len(header.bots) else "sandboxed but for who dialled in"


def match_text(replay: Replay) -> str:
    """The match in short: its bots, every game with its result, and what it came to."""
    rules = rules_of(replay.header)
    header = replay.header
    pack = "decks from a public seed" if header.seeded else "secret decks"
    lines = [
        _title(replay),
        f"Rules {printable(header.rules.preset) or 'of its own'}, {header.plan.units} units of "
        f"{rules.players} legs, {pack}, {_sandboxed(header)}",
        *_dialled(header),
        f"Digest {replay.digest.hex()}",
        "",
    ]
    for unit, leg in replay.games:
        game = replay.game(unit, leg)
        lines.append(f"leg {leg} unit {unit:3}  {_game_result(game, rules, replay)}")
    lines.append("")
    for bot in bot_scores(replay):
        lines.append(
            f"{printable(bot.name)}: score {bot.score:.3f} over {bot.units} units, "
            f"{bot.won} won, {bot.lost} lost, {bot.drawn} drawn, {bot.not_counted} not counted, "
            f"{bot.forfeits} forfeited, {bot.points:+.2f} points a deal"
        )
    return "\n".join(lines) + "\n"


def _dealt(
    replay: Replay,
    rules: Ruleset,
    record: replay_pb2.DealRecord,
    place: tuple[int, int, int],
    where: str,
) -> Deal:
    seal = replay.seal
    try:
        decks = Decks(seal.secret, tuple(seal.nonces), rules, replay.header.plan.pairing)
        dealing = dealing_from_proto(record)
        return start(rules, record.number, record.dealer, dealing, decks.reshuffle(*place))
    except ValueError as error:
        raise ReplayError(where, str(error)) from None


def _names(replay: Replay, rules: Ruleset, leg: int) -> list[str]:
    """Bots by seat in a leg; a name that sits twice gets its seat."""
    names = [""] * rules.players
    for bot, identity in enumerate(replay.header.bots):
        names[seat_of(bot, leg, rules.players)] = printable(identity.name)
    if len(set(names)) < len(names):
        return [f"{name}/{seat}" for seat, name in enumerate(names)]
    return names


def _title(replay: Replay) -> str:
    bots = " against ".join(printable(bot.name) for bot in replay.header.bots)
    return f"Match {printable(replay.header.match_id)}, {bots}"


def _conditions(state: Deal, names: list[str]) -> str:
    limit = f"knock with {state.limit} or less" if state.limit else "only gin ends the deal"
    double = f", points count {state.multiplier} times" if state.multiplier > 1 else ""
    return f"{names[state.dealer]} deals, upcard {name(state.upcard)}: {limit}{double}"


def _hands(state: Deal, names: list[str]) -> Iterable[str]:
    width = max(map(len, names))
    for seat, hand in enumerate(state.hands):
        melds, unmatched, deadwood = arrange(hand, state.book)
        yield f"{_INDENT}{names[seat]:{width}}  {_laid_out(melds, unmatched, deadwood)}"


def _laid_out(melds: Iterable[int], unmatched: int, deadwood: int) -> str:
    groups = " | ".join(show(meld) for meld in melds)
    rest = f"{show(unmatched)} = {deadwood}" if unmatched else "nothing left"
    return f"{groups} ; {rest}" if groups else rest


def _turns(
    record: replay_pb2.DealRecord, state: Deal, names: list[str], where: str
) -> Iterable[str]:
    """A numbered line for each turn; what is no turn has no number; notes below their turn."""
    begun, notes, turn = "", list[str](), 0
    for event, note in playback(record, state, where):
        said = _said(event, state, names)
        if note:
            notes.append(f'{_INDENT}note: "{printable(note)}"')
        if isinstance(event, Took | Drew):
            turn += 1
            begun = f"{turn:3}. {said}"
            continue
        yield f"{begun}, {said}" if begun else f"{_INDENT}{said}"
        yield from notes
        begun, notes = "", []
    if begun:
        yield begun
        yield from notes


def _said(event: Event, state: Deal, names: list[str]) -> str:
    who = names[event.seat]
    match event:
        case Declined():
            return f"{who} leaves the upcard"
        case Took(_, card):
            return f"{who} takes {name(card)}"
        case Drew(_, card):
            return f"{who} draws {name(card)}"
        case Discarded(_, card):
            return f"discards {name(card)}"
        case Knocked(seat, card):
            shown = next(spread for spread in state.spreads if spread.seat == seat)
            verb = "knocks" if shown.unmatched else "goes gin"
            hand = _laid_out(event.melds, shown.unmatched, shown.deadwood)
            return f"{verb} with {name(card)}: {hand}"
        case DeclaredBigGin():
            return f"declares big gin: {_laid_out(event.melds, 0, 0)}"
        case LaidOff(seat, melds, layoffs):
            shown = next(spread for spread in state.spreads if spread.seat == seat)
            hand = _laid_out(melds, shown.unmatched, shown.deadwood)
            return f"{who} shows {hand}{_laid_off(seat, layoffs, state)}"
        case Reshuffled(_, piles):
            return f"the discards become a stock of {sum(map(len, piles))} cards"


def _laid_off(seat: int, layoffs: tuple[tuple[int, int], ...], state: Deal) -> str:
    """Cards laid off, each with the meld as it lay before."""
    before = [meld for at in state.open_spreads(seat) for meld in state.spreads[at].melds]
    for card, meld in layoffs:
        before[meld] &= ~(1 << card)
    said = [f"{name(card)} on {show(before[meld])}" for card, meld in layoffs]
    return f"; lays off {', '.join(said)}" if said else ""


def _outcome(outcome: Outcome, state: Deal, names: list[str]) -> Iterable[str]:
    if outcome.winner is None:
        why = "two cards are left" if outcome.reason == "stock" else "too many turns"
        yield f"Void: {why}"
        return
    for spread in state.spreads:
        yield f"{_INDENT}{names[spread.seat]} is left with {spread.deadwood}"
    points = outcome.points[outcome.winner]
    winner = _side(state.rules, names, outcome.winner)
    how = {"knock": "the knock", "gin": "gin", "big_gin": "big gin", "undercut": "an undercut"}
    times = f" ({state.multiplier} times)" if state.multiplier > 1 else ""
    scores = "score" if len(state.rules.sides[outcome.winner]) > 1 else "scores"
    yield f"{winner} {scores} {points} by {how[outcome.end]}{times}"


def _scores(deals: Iterable[replay_pb2.DealRecord], sides: int) -> list[int]:
    totals = [0] * sides
    for deal in deals:
        for side, points in zip(range(sides), deal.result.points, strict=False):
            totals[side] += points
    return totals


def _side(rules: Ruleset, names: list[str], side: int) -> str:
    return " and ".join(names[seat] for seat in rules.sides[side])


def _by_side(rules: Ruleset, names: list[str], numbers: Iterable[int]) -> str:
    sides = range(len(rules.sides))
    rows = zip(sides, numbers, strict=False)
    return ", ".join(f"{_side(rules, names, side)} {number}" for side, number in rows)


def _game_result(game: replay_pb2.GameRecord, rules: Ruleset, replay: Replay) -> str:
    names = _names(replay, rules, game.leg)
    result = game.result
    totals = _by_side(rules, names, result.totals)
    if not result.counts:
        verdict = "does not count"
    elif not result.HasField("winner"):
        verdict = "drawn"
    elif result.winner < len(rules.sides):
        wins = "win" if len(rules.sides[result.winner]) > 1 else "wins"
        verdict = f"{_side(rules, names, result.winner)} {wins}"
    else:
        raise ReplayError(game_name(game.leg, game.unit), "result.winner: is no side")
    return f"{len(game.deals):3} deals  {totals}  {verdict}{_reason(game, names)}"


def _reason(game: replay_pb2.GameRecord, names: list[str]) -> str:
    """Why a game ended, and through whom, in brackets; nothing where it was played."""
    result = game.result
    if result.reason == play_pb2.REASON_PLAYED:
        return ""
    try:
        word = reason_word(result.reason)
    except ValueError as error:
        raise ReplayError(game_name(game.leg, game.unit), f"result.{error}") from None
    faulty = " ".join(names[seat] for seat in result.faulty_seats if seat < len(names))
    return f" ({word}{': ' if faulty else ''}{faulty})"
