"""What a bot prints: kept within a cap however much it is, and made harmless before it is shown.

`printable` makes a bot's text text for people. No processes here.
"""

import unicodedata
from typing import NamedTuple

KEEP = 256 * 1024


class Log(NamedTuple):
    """The first and the last bytes of an output, and how many between them were dropped."""

    head: bytes
    tail: bytes
    dropped: int

    def text(self) -> str:
        """All that was kept, printable, with a mark where bytes were dropped."""
        if not self.dropped:
            return printable(self.head + self.tail)
        mark = f"\n[… {self.dropped:,} bytes dropped …]\n"
        return printable(self.head) + mark + printable(self.tail)

    def last_lines(self, count: int) -> list[str]:
        """The last lines that are not empty, printable, each cut at 500 characters."""
        lines = [line for line in self.text().splitlines() if line.strip()]
        return [line if len(line) <= 500 else line[:500] + "…" for line in lines[-count:]]


class Capture:
    """Takes bytes as they come and never holds more than twice `keep`."""

    def __init__(self, keep: int = KEEP) -> None:
        self._keep = keep
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def feed(self, data: bytes) -> None:
        """Add output. Amortised over many calls the cost follows the bytes, not the cap."""
        room = self._keep - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail += data
        if len(self._tail) > 2 * self._keep:
            self._trim()

    def _trim(self) -> None:
        excess = len(self._tail) - self._keep
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def log(self) -> Log:
        """What is kept so far."""
        self._trim()
        return Log(bytes(self._head), bytes(self._tail), self._dropped)


def printable(text: bytes | str) -> str:
    r"""Text that cannot act on what shows it: terminal, page or table.

    Newlines and tabs stay. Every other control or format character (C0, C1, ESC, bidirectional
    marks, zero-width characters, line separators), every surrogate, unassigned or private one and
    every byte that is no UTF-8 becomes an escape such as `\x1b` or `\u202e`. HTML is not escaped:
    a page does that with all text.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character)[0] not in "CZ" or character == " ":
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
