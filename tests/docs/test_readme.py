"""What the README tells people to type is typed here, in its order, and must work."""

import re
from pathlib import Path

from tests.docs.pages import ROOT, follow


def test_readme_works_as_written(clone: tuple[Path, dict[str, str]]) -> None:
    """Following the README, a newcomer's bot plays, beats `random` and is rated above it."""
    said = follow("README.md", *clone)
    rated = said["knockbox ratings"]
    assert rated.index("mybot") < rated.index("random")
    assert "ok" in said["knockbox verify replays/*.kbr"]


def test_readme_names_what_is_there() -> None:
    """Every path in the README's map exists, and so does every page it links to."""
    text = (ROOT / "README.md").read_text()
    table = text[text.index("## Where things are") : text.index("## Work on it")]
    for quoted in re.findall(r"`([\w./{},-]+/[\w./{},-]*)`", table):
        head, _, rest = quoted.partition("{")
        names = rest.partition("}")[0].split(",") if rest else [""]
        tail = rest.partition("}")[2]
        for name in names:
            assert (ROOT / f"{head}{name}{tail}").exists(), f"{head}{name}{tail}"
    for link in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (ROOT / link).exists(), link
