"""What a tournament of 1,000 bots, 499,500 matches, costs before its first match is played.

A whole arena is started, with bots that are names only. The time runs from the request that creates
the tournament to the first claim of a match by a worker. Memory is each process's largest resident
size, shared pages included, as `/proc` says; without `/proc` it is not measured.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc

from knockbox.v1 import arena_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto
from workers import pairing
from workers.store import NotFound, Store, open_store

BOTS = 1000
_AIMS = {"s": 10.0, "MB": 500.0}
_PATIENCE_S = 60.0


def measure(bots: int = BOTS) -> list[dict[str, Any]]:
    """A row for each figure: `figure`, `value`, `unit`, `aim`, `within` the aim, `note`."""
    folder = Path(tempfile.mkdtemp(prefix="kbs", dir="/tmp"))
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "KNOCKBOX_SLOTS": "1"}
    environment.pop("REDIS_URL", None)
    try:
        _knockbox(environment, folder, "up")
        try:
            return _measured(json.loads(_knockbox(environment, folder, "status", "--json")), bots)
        finally:
            _knockbox(environment, folder, "down")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(rows: list[dict[str, Any]]) -> str:
    """The figures for people."""
    lines = [f"Scheduling {BOTS:,} bots, {pairing.total(BOTS):,} matches"]
    for row in rows:
        note = f"   ({row['note']})" if row["note"] else ""
        lines.append(
            f"  {row['figure']:<40}{row['value']:8.2f} {row['unit']:<6}"
            f"   aim at most {row['aim']:g}{note}"
        )
    return "\n".join(lines)


def _measured(status: dict[str, Any], bots: int) -> list[dict[str, Any]]:
    store = open_store(status["redis_url"])
    for number in range(bots):
        digest = hashlib.sha256(b"%d" % number).hexdigest()
        store.bots.add(f"bench-{number:04}", f"sha256:{digest}", "bench")
    request = pb.CreateTournamentRequest(name="bench", rules=to_proto(resolve("danish")))
    with grpc.insecure_channel(status["api"]) as channel:
        stub = ArenaServiceStub(channel)
        stub.GetStatus(pb.GetStatusRequest())  # the connection is made before the clock runs
        began = time.monotonic()
        made = stub.CreateTournament(request).tournament
        created = time.monotonic() - began
        assert made.matches == pairing.total(bots)
        _claimed(store, f"{made.tournament_id}.1")
        claimed = time.monotonic() - began
        began = time.monotonic()
        stub.ListTournaments(pb.ListTournamentsRequest())
        shown = time.monotonic() - began
        stub.CloseTournament(pb.CloseTournamentRequest(tournament_id=made.tournament_id))
    store.close()
    rows = [
        _row("from the request to the first claim", claimed, "s", f"created after {created:.2f} s"),
        _row("the list of tournaments", shown, "s"),
    ]
    peaks = {service["name"]: _peak(service["pid"]) for service in status["services"]}
    if any(peaks.values()):
        largest = max(peaks, key=lambda name: peaks[name])
        others = ", ".join(f"{name} {peak:.0f}" for name, peak in peaks.items() if name != largest)
        rows.append(_row("largest process", peaks[largest], "MB", f"{largest}; others: {others}"))
    return rows


def _row(figure: str, value: float, unit: str, note: str = "") -> dict[str, Any]:
    return {
        "figure": figure,
        "value": round(value, 2),
        "unit": unit,
        "aim": _AIMS[unit],
        "within": value <= _AIMS[unit],
        "note": note,
    }


def _knockbox(environment: dict[str, str], folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "arena.cli", *arguments, "--data", str(folder / "data")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def _claimed(store: Store, match_id: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        try:
            if store.matches.get(match_id).fence:
                return
        except NotFound:
            pass
        time.sleep(0.01)
    raise RuntimeError(f"{match_id} was not claimed in {_PATIENCE_S:g} s")


def _peak(pid: int) -> float:
    """The most that a process and its children had at once, at most, in megabytes; 0: not known."""
    peak = 0.0
    for one in [pid, *_children(pid)]:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                peak += int(line.split()[1]) * 1024 / 1e6
    return peak


def _children(pid: int) -> list[int]:
    try:
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    own = [int(child) for child in told.split()]
    return own + [found for child in own for found in _children(child)]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scheduling", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    found = measure()
    print(json.dumps({"scheduling": found}) if parser.parse_args().json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
