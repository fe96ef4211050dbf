"""An arena whose services somebody else has started: what the command line says of it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from arena.api.server import ApiSettings
from arena.api.standing import arena_of

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]


def test_an_arena_without_a_supervisor_is_not_ended_by_down(
    knockbox: Knockbox, tmp_path: Path, arena_server: "tuple[subprocess.Popen[bytes], str]"
) -> None:
    """`status` says that they are kept elsewhere; `down` ends nothing and says what does."""
    data = tmp_path / "data"
    settings = ApiSettings(
        listen=f"unix://{tmp_path}/api.sock", data=data, store="Valkey of a test", owner="ada"
    )
    with arena_of(settings, "", arena_server[1]):
        shown = knockbox("status", "--data", data)
        ended = knockbox("down", "--data", data)
        assert knockbox("status", "--data", data).returncode == shown.returncode == 0
    assert shown.stdout == ""
    assert shown.stderr.startswith("its services are kept elsewhere")
    assert ended.returncode == 1
    assert "`docker compose down`" in ended.stderr
