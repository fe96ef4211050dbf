"""The page of the protocol leaves nothing out, and its figures are those of the code."""

import re
from pathlib import Path
from types import ModuleType

import pytest
import record
from google.protobuf.descriptor import Descriptor, EnumDescriptor

from knockbox.v1 import cards_pb2, play_pb2, rules_pb2
from referee.account import STALE, STRIKES
from referee.protocol import PROTOCOL
from referee.settings import Settings
from referee.wire.play import NOTE_BYTES
from workers.attempt import CLOCK, MEMORY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text()
FILES = (play_pb2.DESCRIPTOR, cards_pb2.DESCRIPTOR)
MODULES = dict(re.findall(r"^\| `(\w+)\.proto` \| (.*) \|$", PAGE, re.MULTILINE))
MESSAGES = [found for file in FILES for found in file.message_types_by_name.values()]
ENUMS = [found for file in FILES for found in file.enum_types_by_name.values()]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_every_message_and_field_is_there(message: Descriptor) -> None:
    """The page names each message that travels and each of its fields."""
    if not message.fields_by_name:
        assert f"`{message.name}`" in PAGE
    for field in message.fields:
        kind = field.message_type
        name = kind.name if kind is not None and field.containing_oneof else field.name
        assert re.search(rf"\b{name}\b", PAGE), name


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.name)
def test_every_value_is_there(enum: EnumDescriptor) -> None:
    """The page explains each value of each enum but the ones that are never sent."""
    for value in enum.values:
        if value.number:
            assert f"`{value.name}`" in PAGE


@pytest.mark.parametrize(
    "module", [play_pb2, cards_pb2, rules_pb2], ids=lambda found: found.__name__
)
def test_every_module_has_what_the_page_says(module: ModuleType) -> None:
    """The table of files names of each module what is in it and in no other."""
    file = module.DESCRIPTOR
    told = set(re.findall(r"`([A-Z][a-z]\w+)`", MODULES[Path(file.name).stem]))
    has = {*file.message_types_by_name, *file.enum_types_by_name, *file.services_by_name}
    assert told
    assert told <= has
    if module is play_pb2:
        assert told >= {*file.enum_types_by_name, *file.services_by_name}
    elif module is cards_pb2:
        assert told == has


def test_the_figures() -> None:
    """Durations, sizes and counts on the page are the ones in force."""
    have = Settings(control="", run_dir=Path())
    for text in (
        f"**{have.connect:.0f} seconds from its start to its Ready**",
        f"within {have.connect:.0f} s of the start",
        f"within the same {1000 * have.step:.0f} ms",
        f"`Join` came within {have.handshake:.0f} s",
        f"up to {have.reconnects} times a leg",
        f"{have.message_base} bytes + {have.message_decision} for each decision",
        f"| a note | {NOTE_BYTES} bytes |",
        f"`protocol`, {PROTOCOL} |",
        f"`bank_per_game_ms` ({CLOCK.bank_per_game_ms})",
        f"`increment_ms` ({CLOCK.increment_ms})",
        f"`cap_ms` ({CLOCK.cap_ms})",
        f"hold {MEMORY >> 20} MB of memory",
    ):
        assert text in PAGE, text
    assert have.grace == 2, "The connection stays at most two seconds longer"
    assert (STRIKES, STALE) == (3, 20), "Three in a leg; twenty in a leg"


def test_the_links() -> None:
    """What the page links to exists."""
    for link in re.findall(r"\]\(([\w./-]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link
    assert record.PAGE.exists()
