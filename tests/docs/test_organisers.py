"""The organisers' page: its commands work in their order, and print what stands there."""

from pathlib import Path

from tests.docs.pages import follow, shown


def without_elo(text: str) -> str:
    """A table without its last column, the Elo, which follows the order in which matches end."""
    lines = text.splitlines(keepends=True)
    at = lines[0].find("  lifelong Elo")
    if at < 0:
        return text
    rows = lines.index("\n")
    return "".join([*(line[:at].rstrip() + "\n" for line in lines[:rows]), *lines[rows:]])


def test_organisers_page_works_as_written(clone: tuple[Path, dict[str, str]]) -> None:
    """Every command succeeds, and every table on the page is what one of them has printed."""
    said = follow("docs/organisers.md", *clone)
    printed = [without_elo(text) for text in said.values() if text]
    tables = shown("docs/organisers.md")
    assert len(tables) == 3
    for table in tables:
        assert table in printed
    assert "=" not in said["knockbox tournament show cup --csv"]
    assert said["knockbox verify cup.1 cup.6"].count(": ok, ") == 2
