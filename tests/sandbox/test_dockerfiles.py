"""Dockerfiles of bots: what is refused, in which line, and that nothing gets past."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.images import dockerfile
from workers.sandbox.images.refusal import ImageError

BASES = ("debian:trixie-slim", "knockbox/python-bot")

REFUSED = [
    ("FROM knockbox/python-bot\nADD http://127.0.0.1:1/x /x\n", 2, "COPY"),
    ("FROM knockbox/python-bot\nadd https://127.0.0.1:1/x /x\n", 2, "COPY"),
    ("FROM knockbox/python-bot\nADD git@127.0.0.1:x/y.git /x\n", 2, "COPY"),
    ("FROM knockbox/python-bot\nADD bot.tar /bot\n", 2, "COPY"),
    ("FROM python:3.13\nCOPY . /bot\n", 1, "debian:trixie-slim"),
    ("FROM 127.0.0.1:5000/knockbox/python-bot\n", 1, "build on"),
    ("FROM knockbox/python-bot:evil\n", 1, "build on"),
    ("FROM knockbox/python-bot@sha256:" + "0" * 64 + "\n", 1, "build on"),
    ("ARG BASE=python:3.13\nFROM $BASE\n", 2, "build on"),
    ("FROM --platform=linux/arm64 debian:trixie-slim\n", 1, "--platform"),
    ("FROM debian:trixie-slim extra\n", 1, "IMAGE AS NAME"),
    ("FROM debian:trixie-slim AS a\nFROM debian:trixie-slim AS A\n", 2, "name of a stage"),
    ("FROM debian:trixie-slim AS scratch\n", 1, "name of a stage"),
    ("# syntax=evil/frontend\nFROM debian:trixie-slim\n", 1, "syntax"),
    ("#\n#   SYNTAX = evil/frontend\nFROM debian:trixie-slim\n", 2, "leave the line out"),
    ("# escape=`\nFROM debian:trixie-slim\n", 1, "escape"),
    ("//syntax=evil/frontend\nFROM debian:trixie-slim\n", 1, "no instruction"),
    ('{"syntax": "evil/frontend"}\nFROM debian:trixie-slim\n', 1, "no instruction"),
    ("FROM debian:trixie-slim\nRUN --mount=type=secret,id=x cat /run/secrets/x\n", 2, "--mount"),
    ("FROM debian:trixie-slim\nRUN --network=host true\n", 2, "--network"),
    ("FROM debian:trixie-slim\nRUN --security=insecure true\n", 2, "--security"),
    ("FROM debian:trixie-slim\nCOPY --from=python:3.13 /a /a\n", 2, "build on"),
    ("FROM debian:trixie-slim\nCOPY --from=$X /a /a\n", 2, "plainly"),
    ('FROM debian:trixie-slim\nCOPY --fr"om=python:3.13" /a /a\n', 2, "--fr"),
    ("FROM debian:trixie-slim\nCOPY --from=0 /a /a\n", 2, "no stage 0"),
    ("FROM debian:trixie-slim\nCOPY --chmod=755 a /a\n", 2, "--chmod"),
    ("FROM debian:trixie-slim\nCOPY --link a /a\n", 2, "--link"),
    ("FROM debian:trixie-slim\nVOLUME /data\n", 2, "/tmp"),
    ("FROM debian:trixie-slim\nONBUILD RUN true\n", 2, "ONBUILD"),
    ("FROM debian:trixie-slim\nRUN <<EOF\ntrue\nEOF\n", 2, "<<"),
    ("FROM debian:trixie-slim\nCOPY <<EOF /a\nx\nEOF\n", 2, "<<"),
    ("FROM debian:trixie-slim\nRUN true \\\n  # indented\nADD http://x/ /\n", 3, "column 1"),
    ("FROM debian:trixie-slim\nRUN true \\\n\nADD http://x/ /\n", 3, "empty line"),
    ("FROM debian:trixie-slim\nRUN true \\\\\nADD http://x/ /\n", 2, "two backslashes"),
    ("FROM debian:trixie-slim\nA\\\nDD http://x/ /\n", 2, "COPY"),
    ("FROM debian:trixie-slim\n\u00a0ADD http://x/ /\n", 2, "U+00A0"),
    ("\ufeffFROM debian:trixie-slim\nRUN true\n", 1, "U+FEFF"),
    ("FROM debian:trixie-slim\nRUN true\rADD http://x/ /\n", 2, "U+000D"),
    ("FROM debian:trixie-slim\nRUN a\0b\n", 2, "U+0000"),
    ("FROM debian:trixie-slim\nWORKDIR\n", 2, "says nothing"),
    ("FROM debian:trixie-slim\nFETCH http://x/\n", 2, "no instruction"),
    ("RUN true\nFROM debian:trixie-slim\n", 1, "before the first FROM"),
    ("ARG A\n", 1, "FROM is missing"),
    ("", 1, "no instruction"),
    ("# nothing\n\n", 1, "no instruction"),
    ("FROM debian:trixie-slim\n" + "RUN true\n" * 200, 201, "200 instructions"),
    ("FROM debian:trixie-slim\n#" + "x" * 65_536, 1, "bytes"),
]


@pytest.mark.parametrize(("text", "line", "says"), REFUSED)
def test_what_reaches_out_or_is_ambiguous_is_refused(text: str, line: int, says: str):
    """Each such Dockerfile is refused with E_DOCKERFILE, its line, and what would be right."""
    with pytest.raises(ImageError) as refused:
        dockerfile.check(text.encode("utf-8", "surrogatepass"), BASES)
    assert refused.value.code == "E_DOCKERFILE"
    assert refused.value.line == line
    assert says in refused.value.message


def test_bytes_that_are_no_text_are_refused_in_their_line():
    """A Dockerfile is UTF-8."""
    with pytest.raises(ImageError) as refused:
        dockerfile.check(b"FROM debian:trixie-slim\nRUN \xff\n", BASES)
    assert refused.value.place == "Dockerfile line 2"


def test_a_usual_dockerfile_is_read_with_its_lines_and_bases():
    """Stages, comments, continued lines, Windows' line ends and known flags are all fine."""
    text = (
        "# A bot in a language that is compiled.\n"
        "ARG LEVEL=2\n"
        "FROM debian:trixie-slim AS Build\r\n"
        "RUN apt-get update \\\n"
        "# why\n"
        "    && true   \\ \n"
        "    && echo 1 << 2\n"
        "COPY --chown=0:0 . /src\n"
        'CMD ["ignored"]\n'
        "FROM knockbox/python-bot:latest\n"
        "COPY --from=build /src/bot /bot\n"
        "COPY --from=0 /src/x /x\n"
        "HEALTHCHECK --interval=5s CMD true\n"
        "COPY --from=debian:trixie-slim /etc/hosts /h\n"
    )
    read = dockerfile.check(text.encode(), BASES)
    assert [(each.line, each.word) for each in read.instructions] == [
        (2, "ARG"),
        (3, "FROM"),
        (4, "RUN"),
        (8, "COPY"),
        (9, "CMD"),
        (10, "FROM"),
        (11, "COPY"),
        (12, "COPY"),
        (13, "HEALTHCHECK"),
        (14, "COPY"),
    ]
    assert read.instructions[2].rest == "apt-get update     && true       && echo 1 << 2"
    assert read.bases == {"debian:trixie-slim": 3, "knockbox/python-bot": 10}
    assert not read.runs  # what an earlier stage runs is nothing to the last


def test_the_last_stage_says_what_runs():
    """A command or an entry point in the last stage is the bot's."""
    for word in ("CMD", "ENTRYPOINT"):
        assert dockerfile.check(f'FROM scratch\nCOPY b /b\n{word} ["/b"]\n'.encode(), BASES).runs


PLAIN = """FROM RUN COPY ADD VOLUME ONBUILD CMD # #syntax=x debian:trixie-slim AS a --from=a
--from=x/y --mount=x \\ <<EOF scratch http://x/ " ' $X"""
ODD = ("# syntax=x", "\\\n", "\n", "\r\n", " ", "\t", "\u2028", "\x0b", "\ufeff")
WORDS = st.sampled_from([*PLAIN.split(), *ODD])


@given(st.lists(WORDS, max_size=20).map("".join))
def test_whatever_is_accepted_wants_only_what_is_here(text: str):
    """Any text is refused in words or builds on allowed images alone, without ADD and flags."""
    try:
        read = dockerfile.check(text.encode("utf-8", "surrogatepass"), BASES)
    except ImageError as error:
        assert error.code == "E_DOCKERFILE"
        assert 1 <= error.line <= text.count("\n") + 1
        return
    assert set(read.bases) <= set(BASES)
    stages = set()
    for each in read.instructions:
        assert each.word in dockerfile.PLAIN
        assert not each.rest.startswith("--") or each.word in ("COPY", "HEALTHCHECK")
        if each.word == "FROM":
            words = each.rest.split()
            assert words[0] in {*BASES, "scratch", *stages}
            stages |= set(words[2:])


@given(st.binary(max_size=200))
def test_bytes_never_break_the_reader(content: bytes):
    """Any bytes are read or refused in words."""
    try:
        dockerfile.check(content, BASES)
    except ImageError as error:
        assert str(error).isprintable() or "\n" in str(error)
