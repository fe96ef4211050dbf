"""The SDK is one folder to copy: what it needs, and that its stubs are the protocol's."""

import ast
import re
import sys
from pathlib import Path

import knockbox.v1.play_pb2 as built
import sample_bots
from sample_bots.python.knockbox_sdk.state import State
from sample_bots.python.knockbox_sdk.stubs import cards_pb2, play_pb2, rules_pb2

SDK = Path(sample_bots.__path__[0]) / "python" / "knockbox_sdk"


def imported(file: Path) -> set[str]:
    """Top names of the absolute imports of a module."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_the_sdk_needs_grpc_and_protobuf_alone():
    """Every import of the folder is relative, of the standard library, grpc or google."""
    outside = {name for file in SDK.rglob("*.py") for name in imported(file)}
    assert outside - set(sys.stdlib_module_names) == {"grpc", "google"}


def test_chance_and_clocks_stay_out_of_what_a_bot_sees():
    """Only the loop that connects reads a clock or makes a nonce."""
    for file in SDK.glob("*.py"):
        if file.name != "play.py":
            assert not imported(file) & {"time", "random", "secrets", "datetime", "os", "uuid"}


def test_committed_stubs_are_those_of_the_protocol():
    """The stubs in the folder describe the same messages as the ones built from proto/."""
    for stub, name in ((cards_pb2, "cards"), (rules_pb2, "rules"), (play_pb2, "play")):
        module = __import__(f"knockbox.v1.{name}_pb2", fromlist=["DESCRIPTOR"])
        assert stub.DESCRIPTOR.serialized_pb == module.DESCRIPTOR.serialized_pb
    assert play_pb2.Turn.DESCRIPTOR is built.Turn.DESCRIPTOR


def test_the_page_names_what_a_state_has():
    """Every word that the page gives a state exists, and every public one is on the page."""
    page = (SDK.parent / "README.md").read_text()
    table = page.partition("## What a state has")[2].partition("## What is packed")[0]
    told = set(re.findall(r"[`.](?:state\.)?([a-z_]+)(?:\([^`]*\))?`", table))
    public = {name for name in dir(State) if not name.startswith("_")} - {"options"}
    assert public <= told
