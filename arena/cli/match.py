"""`knockbox match A B`: bot folders against each other, with nothing but this process."""

import math
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from arena.cli import options, output
from arena.cli.errors import CommandError, Exit, usage
from arena.cli.matchprogress import Progress
from arena.cli.options import Json, Sandbox, number
from arena.cli.rulesets import Rules, named
from arena.cli.tournament import Seed, Units
from arena.cli.words import fit, many, room
from referee.bounds import BOARDS_MOST, UNITS_MOST
from workers.names import SEED_MOST, line_complaint

if TYPE_CHECKING:
    from arena.local.dial import DialIn
    from arena.local.played import Played
    from arena.local.single import Wish
    from workers.sandbox.manifest import BotFolder

UNITS = {2: 16, 3: 6, 4: 4}
"""Units by seats, where nobody says how many."""
MEANT = {"no_show": ": its program ran, and did not connect in time"}
"""What a reason means, where the bot may have printed nothing that tells."""
SPARE = ("thinking", "drawn", "lost", "won", "± 95 %", "pts/deal")
"""What a narrow terminal does without, the first one first."""


def match(
    *bots: Annotated[
        Path,
        Parameter(
            help="Folder of each bot, as many as the rules have players; the same again is fine. "
            "In a partnership the first and the third are partners. Of two for four seats each "
            "takes two; one takes all."
        ),
    ],
    rules: Rules = "danish",
    units: Units = None,
    boards: Annotated[int, number("Most games at once.")] = 64,
    seed: Seed = None,
    clock: Annotated[
        Literal["normal", "none"] | None,
        Parameter(help="none: no time runs, as where a bot is started by hand; else normal."),
    ] = None,
    seat: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="0=dial: you start the first bot by hand, each leg; 1=dial the second …",
        ),
    ] = None,
    out: Annotated[Path | None, Parameter(help="Replay file; else ./replays/MATCH.kbr.")] = None,
    sandbox: Sandbox = None,
    json: Json = False,
) -> int:
    """Let bot folders play each other here and now; needs no service.

    What a bot prints is kept beside the replay, in MATCH.logs. Exit code 3 where a bot was at
    fault: its reason and its last words are shown. Ctrl-C: the match is played to its end, with
    exit code 130; again: it ends at once and leaves nothing.

    Example: knockbox match my-bot sample_bots/python/random --units 8
    """
    from arena.local import single
    from arena.local.ending import Ended

    settings = options.settings(None, sandbox)
    wish = _wish(bots, rules, units, boards, seed, clock, seat or [])
    wish = wish._replace(sandbox=settings.sandbox, engine=settings.engine)
    progress = Progress(wish)
    try:
        # Whoever starts a bot by hand would be waited for: then the first Ctrl-C ends the match.
        asked = None if wish.by_hand else progress.asked
        hear = single.Hear(progress.show, _tell_way_in, output.note, asked, progress.fault)
        played = single.play(wish, out, settings.runtime_base, hear)
    except Ended as ended:
        if ended.number == signal.SIGINT:
            raise KeyboardInterrupt from None
        output.note(f"ended by {ended}")
        return 128 + ended.number
    except single.SingleError as error:
        _tell_logs(error.logs)
        raise CommandError(str(error)) from None
    if json:
        output.as_json(_as_json(played))
    else:
        _show(played)
    _tell_faults(played)
    _keep_printed(played)
    if not json:
        shown = shlex.quote(str(played.replay))
        output.next_step(f"knockbox replay show {shown}", "reads it; `knockbox verify` proves it")
    if progress.was_asked:
        return Exit.INTERRUPTED
    return Exit.BOT_AT_FAULT if played.faults else Exit.OK


def _wish(
    bots: tuple[Path, ...],
    rules: str,
    units: int | None,
    boards: int,
    seed: str | None,
    clock: str | None,
    seats: list[str],
) -> "Wish":
    from arena.cli.rulesets import ruleset
    from arena.local.single import Wish

    resolved = ruleset(rules)
    units = UNITS[resolved.players] if units is None else units
    for name, asked, most in (("--units", units, UNITS_MOST), ("--boards", boards, BOARDS_MOST)):
        if not 1 <= asked <= most:
            raise usage(f"{name} is {asked}: 1 to {most:,}")
    if seed is not None and (wrong := line_complaint(seed, SEED_MOST)):
        raise usage(f"--seed: {wrong}")
    seated = _seated(bots, resolved.players)
    by_hand = _by_hand(seats, resolved.players)
    untimed = clock == "none" or (clock is None and bool(by_hand))
    return Wish(seated, resolved, units, boards, seed, untimed, by_hand)


def _seated(bots: tuple[Path, ...], players: int) -> "tuple[BotFolder, ...]":
    """A bot for each seat: one folder or two may go round."""
    from arena.cli import folders

    if not bots:
        raise usage("name the folders of the bots: knockbox match BOT_A BOT_B")
    if len(bots) > players or players % len(bots):
        raise usage(f"these rules have {players} players, here are {len(bots)} bots")
    found = tuple(folders.read(bot) for bot in bots)
    return found * (players // len(bots))


def _by_hand(seats: list[str], players: int) -> frozenset[int]:
    """The bots, by number, that `--seat N=dial` leaves to a person to start."""
    ways_in = {f"{bot}=dial": bot for bot in range(players)}
    for text in seats:
        if text not in ways_in:
            raise usage(f"--seat {text}: one of {', '.join(ways_in)} (0 is the first bot)")
    return frozenset(ways_in[text] for text in seats)


def _tell_way_in(way_in: "DialIn") -> None:
    """What to copy to start a bot by hand."""
    output.note(f"leg {way_in.leg}: {way_in.bot} is waited for. Start it by hand with")
    for name, value in way_in.variables.items():
        output.note(f"  export {name}={shlex.quote(value)}")
    output.note("(it may come again within the leg; each leg wants a fresh start, with new values)")


def _show(played: "Played") -> None:
    headers = (
        "bot",
        "score %",
        "won",
        "lost",
        "drawn",
        "pts/deal",
        "± 95 %",
        "forfeits",
        "thinking",
    )
    rows = [
        (
            row.shown,
            f"{100 * row.score:.1f}",
            str(row.won),
            str(row.lost),
            str(row.drawn),
            f"{row.points:+.2f}" if row.points_units else "-",
            f"{row.points_half:.2f}" if math.isfinite(row.points_half) else "-",
            str(row.forfeits),
            f"{row.thinking:.1f} s",
        )
        for row in played.bots
    ]
    output.table(*fit(headers, rows, SPARE, room()))
    output.note(
        f"{many(played.units, 'unit')} in {played.elapsed:.1f} s, rules: {named(played.rules)}; "
        f"{'seed ' + repr(played.seed) if played.seed is not None else 'decks drawn secretly'}"
    )
    if played.void:
        verb = "does" if played.void == 1 else "do"
        output.note(f"{many(played.void, 'game')} {verb} not count")
    output.note(f"replay: {played.replay}")


def _keep_printed(played: "Played") -> None:
    from arena.local import printed

    try:
        folder = printed.keep(played)
    except OSError as error:
        output.note(f"what the bots printed cannot be kept: {error.strerror} ({error.filename})")
        return
    if folder is not None:
        output.note(f"what the bots printed: {folder}/")


def _tell_faults(played: "Played") -> None:
    """Every fault; and the last words of each bot in its first."""
    told: set[int] = set()
    for fault in played.faults:
        more = f" ({fault.clock}; --clock none switches the clock off)" if fault.clock else ""
        more = more or MEANT.get(fault.reason, "")
        output.note(
            f"{fault.bot} was at fault: {fault.reason} in leg {fault.leg}{more}{fault.exit}"
        )
        if fault.owed:
            output.note(f"  an answer of it was missing {fault.owed}")
        if fault.number not in told:
            told.add(fault.number)
            _tell_logs(((fault.bot, fault.last_lines),))


def _as_json(played: "Played") -> dict[str, Any]:
    return {
        "match_id": played.match_id,
        "digest": played.digest.hex(),
        "replay": str(played.replay),
        "units": played.units,
        "seed": played.seed,
        "elapsed": round(played.elapsed, 3),
        "bots": [
            {
                "name": row.name,
                "shown": row.shown,
                "score": row.score,
                "points_units": row.points_units,
                "points": row.points,
                "points_interval": row.points_half if math.isfinite(row.points_half) else None,
                "forfeits": row.forfeits,
                "thinking": row.thinking,
                "won": row.won,
                "lost": row.lost,
                "drawn": row.drawn,
                "reasons": row.reasons,
            }
            for row in played.bots
        ],
    }


def _tell_logs(logs: "tuple[tuple[str, list[str]], ...]") -> None:
    for bot, lines in logs:
        if lines:
            output.note(f"the last words of {bot}:")
        for line in lines:
            output.note(f"  | {line}")
