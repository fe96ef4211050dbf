"""The page for bots that stay with their authors: its commands bring one online, and it plays."""

import json
import subprocess
from pathlib import Path

from tests.arena.network_kit import free_port
from tests.docs.pages import blocks, typed


def test_dial_in_page_works_as_written(clone: tuple[Path, dict[str, str]]) -> None:
    """With the three variables set, either command brings the bot online, and it plays a match."""
    folder, environment = clone
    environment["KNOCKBOX_SANDBOX"] = "process"
    address = f"127.0.0.1:{free_port()}"
    typed(f"knockbox up --listen {address}", folder, environment)
    typed("knockbox bot add sample_bots/python/random", folder, environment)
    status = json.loads(typed("knockbox status --json", folder, environment).stdout)
    values = {
        "KNOCKBOX_ARENA": address,
        "KNOCKBOX_TOKEN": typed("knockbox token create ada", folder, environment).stdout.strip(),
        "KNOCKBOX_TLS_FINGERPRINT": status["fingerprint"],
    }
    typed("knockbox new python mybot", folder, environment)
    (folder / "start.sh").write_text("#!/bin/sh\ncd mybot && exec python3 bot.py\n")
    (folder / "start.sh").chmod(0o755)

    exports, *commands = [text.strip() for _, text in blocks("docs/dial-in.md")]
    names = [line.removeprefix("export ").partition("=")[0] for line in exports.splitlines()]
    assert names == list(values)
    assert len(commands) == 2
    for number, command in enumerate(commands):
        with subprocess.Popen(
            command.split(),
            cwd=folder,
            env=environment | values,
            stderr=subprocess.PIPE,
            text=True,
        ) as agent:
            try:
                assert agent.stderr
                assert any("online" in line for line in agent.stderr)
                bots = f"--bots mybot,random --units 4 --name cup-{number} --watch"
                typed(f"knockbox tournament create {bots}", folder, environment)
            finally:
                agent.terminate()
        shown = typed(f"knockbox tournament show cup-{number} --json", folder, environment).stdout
        (row,) = (row for row in json.loads(shown)["table"] if row["bot"] == "mybot")
        assert (row["units"], row["forfeits"]) == (4, 0)
