"""The page for bot authors: its commands are typed, and what it shows is what they print."""

import re
from pathlib import Path

from tests.docs.pages import follow

PAGE = "docs/authors.md"


def test_authors_page_works_as_written(clone: tuple[Path, dict[str, str]]) -> None:
    """Following the page, an author's bot fails, is mended, plays, is rated, looked at, retired."""
    said = follow(PAGE, *clone)
    slip, shown = (said[f"knockbox bot {verb} slip"] for verb in ("retire", "show"))
    assert slip == "slip retired\n"
    tried = next(out for line, out in said.items() if "exit code" in line)
    assert tried.endswith("exit code 3\n")
    for row in ("bot", "state", "Elo", "record", "forfeits", "deals"):
        assert re.search(rf"^{row} ", shown, re.MULTILINE), row
    assert len(re.findall(r"^[0-9a-f]{12} ", shown, re.MULTILINE)) == 2
    assert said["knockbox bot logs slip --match first.1 --leg 0 --tail 5"].count("\n") == 5
