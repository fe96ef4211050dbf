"""What bots print: capped, and harmless where it is shown."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.capture import Capture, Log, printable


@given(st.lists(st.binary(max_size=40), max_size=40))
def test_first_and_last_bytes_are_kept(chunks):
    """Whatever the chunks, head and tail are the ends of the whole, and nothing else is dropped."""
    capture = Capture(keep=50)
    for chunk in chunks:
        capture.feed(chunk)
    whole = b"".join(chunks)
    log = capture.log()
    assert log.head == whole[:50]
    assert log.dropped == max(0, len(whole) - 100)
    assert log.head + log.tail == whole[:50] + whole[max(50, len(whole) - 50) :]


@given(st.binary())
def test_nothing_shown_can_act_on_a_screen(data):
    """Printable text has no control, format or separator character but newline and tab."""
    for letter in printable(data):
        assert letter in "\n\t " or unicodedata.category(letter)[0] not in "CZ"


def test_hostile_output_is_shown_escaped():
    """ESC, links, right-to-left override, NUL, C1 and bytes that are no UTF-8 are escapes."""
    hostile = b"\x1b]8;;http://x\x07a\xe2\x80\xaeb\0\xc2\x9b1m\xff\r\n<script>\t\xe2\x80\xa8\rend"
    assert printable(hostile) == (
        "\\x1b]8;;http://x\\x07a\\u202eb\\x00\\x9b1m\\xff\n<script>\t\\u2028\\x0dend"
    )
    assert printable("grün 🂡 é") == "grün 🂡 é"


def test_a_gap_is_marked_and_last_lines_are_short():
    """A log says how much is missing; its last lines are cut to a readable length."""
    log = Log(b"first\n", b"x" * 600 + b"\n\nlast\n", 1234567)
    assert "[… 1,234,567 bytes dropped …]" in log.text()
    assert log.last_lines(2) == ["x" * 500 + "…", "last"]
