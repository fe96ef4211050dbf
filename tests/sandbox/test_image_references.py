"""References to images in registries: which are asked for, and which never leave the machine."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.images import reference
from workers.sandbox.images.refusal import ImageError

DIGEST = "sha256:" + "0123456789abcdef" * 4
BASES = ("debian:trixie-slim", "knockbox/python-bot")

REFUSED = [
    "localhost:5000/a",
    "localhost/a",
    "169.254.169.254/x",
    "169.254.169.254/latest/meta-data",
    "10.0.0.5:5000/x",
    "[::1]:5000/x",
    "0x7f000001:80/x",
    "registry.example/x",
    "a@sha256:short",
    "a@sha256:" + "G" * 64,
    "a@md5:" + "0" * 32,
    "a@" + DIGEST + "@" + DIGEST,
    "A/b",
    "me/Bot",
    "a" * 300,
    "",
    " a/b",
    "a/b ",
    "a b",
    "a/../b",
    "/a",
    "a/",
    "a//b",
    "a:",
    "a:b:c",
    "a:" + "t" * 129,
    "a:-x",
    "http://example.org/a",
    "a/b?c",
    "a/b#c",
    "user:password@example.org/a",
    "é/b",
    "a\n/b",
    "a/b\x1b[31m",
    "-a/b",
    "a/b_-c",
    "knockbox/python-bot",
    "knockbox/anything:1",
    "knockbox-bot:abc",
    "debian:trixie-slim",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_plain_name_of_an_image_is_refused(text: str):
    """Addresses inside the network, odd spellings and names of images made here: E_REFERENCE."""
    with pytest.raises(ImageError) as refused:
        reference.parse(text, (), BASES)
    assert refused.value.code == "E_REFERENCE"
    assert refused.value.message.isprintable()


def test_a_reference_says_its_parts():
    """Registry, name, tag and digest; a tag is added only where there is neither."""
    parse = reference.parse
    assert parse("me/bot", ()) == ("", "me/bot", "latest", "")
    assert parse(f"bot@{DIGEST}", ()) == ("", "bot", "", DIGEST)
    listed = ("registry.example", "localhost:5000")
    assert parse("registry.example/a/b:1.0", listed) == ("registry.example", "a/b", "1.0", "")
    assert str(parse(f"localhost:5000/b:x@{DIGEST}", listed)) == f"localhost:5000/b:x@{DIGEST}"


def test_a_registry_is_asked_only_where_it_is_listed():
    """The refusal names the registry, and the setting that lists it."""
    with pytest.raises(ImageError, match=r"registry\.example is not asked.*KNOCKBOX_LAUNCH_REG"):
        reference.parse("registry.example/a", ("other.example",))


PIECES = st.sampled_from(
    [
        "a",
        "bot",
        "B",
        "localhost",
        "10.0.0.1",
        "x.example",
        "/",
        ":",
        "@",
        "5000",
        "-",
        "_",
        ".",
        DIGEST,
    ]
)
GRAMMAR = re.compile(
    r"(?:x\.example/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


@given(st.one_of(st.lists(PIECES, max_size=9).map("".join), st.text(max_size=30)))
def test_what_is_accepted_is_in_the_grammar_and_asks_nobody_else(text: str):
    """An accepted reference is one by the grammar, and its registry is listed or the engine's."""
    try:
        found = reference.parse(text, ("x.example",), BASES)
    except ImageError as error:
        assert error.code == "E_REFERENCE"
        return
    assert GRAMMAR.fullmatch(text)
    assert found.registry in ("", "x.example")
    assert str(found) in (text, f"{text}:latest")
    first = found.name.split("/")[0]
    assert found.registry or "/" not in found.name or not set(first) & set(".:")
