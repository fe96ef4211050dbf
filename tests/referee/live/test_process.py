"""The referee as a process."""

import asyncio
import json
import signal
import sys
import tempfile
from pathlib import Path

import grpc
import pytest
from grpc import aio
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

pytestmark = pytest.mark.anyio


async def run(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "referee",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_it_serves_until_it_is_told_to_stop() -> None:
    """It logs JSON lines on stderr, nothing on stdout, and leaves nothing behind."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        control = f"unix://{folder}/c/s.sock"
        process = await run("--control", control, "--run-dir", f"{folder}/r", "--drain", "0.1")
        async with aio.insecure_channel(control) as channel:
            await asyncio.wait_for(channel.channel_ready(), 20)
        process.send_signal(signal.SIGTERM)
        out, log = await process.communicate()
        assert process.returncode == 0
        assert out == b""
        events = [json.loads(line)["event"] for line in log.splitlines()]
        assert events == ["ready", "stopping", "stopped"]
        assert not Path(folder, "c", "s.sock").exists()


async def test_the_control_door_tells_what_it_serves() -> None:
    """Reflection names the services there and has their messages."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        control = f"unix://{folder}/c/s.sock"
        process = await run("--control", control, "--run-dir", f"{folder}/r", "--drain", "0.1")
        with grpc.insecure_channel(control) as channel:
            grpc.channel_ready_future(channel).result(20)
            told = ProtoReflectionDescriptorDatabase(channel)
            assert sorted(told.get_services()) == [
                "grpc.health.v1.Health",
                "grpc.reflection.v1alpha.ServerReflection",
                "knockbox.v1.MatchService",
            ]
            file = told.FindFileContainingSymbol("knockbox.v1.MatchService")
            assert file.name == "knockbox/v1/match.proto"
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--run-dir", "/nowhere"], "--control: field required"),
        (["--control", "tcp://x", "--run-dir", "/nowhere"], "unix:///ABS/PATH"),
        (["--control", "unix:///tmp/x/s", "--run-dir", "/" + "x" * 90], "shorter folder"),
        (["--control", "unix:///x/s", "--run-dir", "/x", "--grace", "soon"], "--grace: "),
    ],
)
async def test_what_it_cannot_do_is_said_in_a_line(arguments: list[str], words: str) -> None:
    """A wrong argument ends it with status 2 and one plain line."""
    process = await run(*arguments)
    _, text = await process.communicate()
    assert process.returncode == 2
    assert words in text.decode()
    assert len(text.splitlines()) == 1
