"""The page for bot authors: its commands are typed, and what it shows is what they print."""

import re
from pathlib import Path

from arena.cli.errors import refused
from tests.docs.pages import follow
from workers.codes import CODES

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


def test_every_code_of_a_refusal_is_listed() -> None:
    """The page has each code, what it means, and the exit code that `submit` and `bot add` end
    with."""
    text = (Path(__file__).parents[2] / PAGE).read_text()
    listed = re.findall(r"^\| `(E_\w+)` \| (.+) \| (\d) \|$", text, re.MULTILINE)
    known = [(code, one.meaning, str(int(refused(code, "").code))) for code, one in CODES.items()]
    assert listed == known
