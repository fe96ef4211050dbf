"""What a reader sees of a bot that prints what would act on a terminal, by the real command."""

import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tests.hostile.rows import Got
from tests.hostile.stage import Stage, verdict
from workers.folders import Folders


async def shown(stage: Stage) -> Iterator[Got]:
    """A match of painter.py, and its log as `knockbox bot logs` prints it."""
    played = await stage.play("painter.py")
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        data = Path(folder)
        for log in played.logs:
            path = Folders(data).log("t1.1", 1, log.leg, "painter")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(log.output.head + log.output.tail)  # not even made harmless yet
        command = ["-m", "arena.cli", "bot", "logs", "painter", "--data", folder]
        said = subprocess.run([sys.executable, *command], capture_output=True, check=True)
    text = said.stdout.decode()
    acting = {
        letter for letter in text if letter != "\n" and unicodedata.category(letter)[0] == "C"
    }
    forged = "as text" if "match over: painter won 100 : 0" in text else "lost"
    return iter(
        (
            Got("bot", "prints escapes, markup, a result", "played: none", verdict(played)),
            Got("shown", "what acts on a terminal", "none", ascii(acting) if acting else "none"),
            Got("shown", "a forged result", "as text", forged),
        )
    )  # fmt: skip
