"""What `knockbox match` says while it is played: how far it is, who has left, who has failed."""

import sys
from typing import TYPE_CHECKING

from arena.cli import output

if TYPE_CHECKING:
    from arena.local.played import LegFault
    from arena.local.single import Wish
    from knockbox.v1 import match_pb2


class Progress:
    """How far a match is, in one line that is written over; nothing where stderr is no terminal."""

    def __init__(self, wish: "Wish") -> None:
        self.was_asked = False
        self._wish = wish
        self._last: match_pb2.Progress | None = None
        self._away = set[int]()

    def show(self, progress: "match_pb2.Progress") -> None:
        """It has gone on."""
        self._last = progress
        self._miss(progress)
        if not output.live(sys.stderr):
            return
        sys.stderr.write(
            f"\r\x1b[Kleg {progress.leg}: {progress.games_over} of {progress.games} games, "
            f"{progress.deals_over} deals, {progress.decisions} decisions"
        )
        if progress.games_over == progress.games:
            self._clear()
        sys.stderr.flush()

    def _miss(self, progress: "match_pb2.Progress") -> None:
        """Say who was started by hand and is gone: nothing happens until it is started again."""
        from referee.results import seat_of

        over = progress.games_over == progress.games
        players = self._wish.rules.players
        away = {
            bot
            for bot in self._wish.by_hand
            if not over and seat_of(bot, progress.leg, players) in progress.away
        }
        for bot in away - self._away:
            self._clear()
            name = self._wish.bots[bot].name
            output.note(f"leg {progress.leg}: {name} has left; start it again with the same lines")
        self._away = away

    def _clear(self) -> None:
        """Room for another line."""
        if output.live(sys.stderr):
            sys.stderr.write("\r\x1b[K")

    def fault(self, fault: "LegFault") -> None:
        """A bot was at fault in a leg; of the last one the end of the match tells more."""
        if fault.leg + 1 < self._wish.rules.players:
            self._clear()
            output.note(f"leg {fault.leg}: {fault.bot} fails, {fault.reason}{fault.exit}")

    def asked(self) -> None:
        """Ctrl-C: say what is waited for."""
        self.was_asked = True
        far = "it begins"
        if last := self._last:
            far = f"leg {last.leg}, {last.games_over} of {last.games} games"
        newline = "\n" if output.live(sys.stderr) else ""
        never = ", which without a clock may never come" if self._wish.untimed else ""
        output.note(
            f"{newline}the match is played to its end{never} ({far}); "
            "Ctrl-C again ends it at once, without a replay"
        )
