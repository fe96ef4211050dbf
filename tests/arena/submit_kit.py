"""What is submitted in tests: folders, their bytes, and how these are sent."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from knockbox.v1 import submissions_pb2 as sub
from workers.check.rows import Row, Verdict

FAILS = Row("answers", Verdict.FAIL, "it left out \x1b[2Jhalf", "answer all", ("boom \x1b]8",))


def bot(folder: Path, name: str = "slip", program: str = "pass\n") -> Path:
    """A bot's folder."""
    folder.mkdir(exist_ok=True)
    (folder / "knockbox.toml").write_text(
        f'[bot]\nname = "{name}"\ncommand = ["python3", "b.py"]\n'
    )
    (folder / "b.py").write_text(program)
    return folder


def sha(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def parts(bot_name: str, data: bytes, offset: int = 0) -> Iterator[sub.SendUploadRequest]:
    """Everything from an offset on, ten bytes a part."""
    yield sub.SendUploadRequest(bot=bot_name, digest=sha(data), offset=offset)
    for at in range(offset, len(data), 10):
        yield sub.SendUploadRequest(data=data[at : at + 10])
