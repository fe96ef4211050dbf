"""How an image, an archive or a Dockerfile is refused: a code, a place, and what would be right."""

from knockbox.v1 import images_pb2 as pb
from workers.codes import CODES
from workers.sandbox.capture import printable


class ImageError(ValueError):
    """Why an image cannot be. `where` is a file, a member or a field; `line` counts from 1, 0 where
    there is none; `output` is what a build printed last. All of it is printable.
    """

    def __init__(
        self, code: str, where: str, message: str, *, line: int = 0, output: str = ""
    ) -> None:
        assert code in CODES, code
        self.code = code
        self.where = printable(where).replace("\n", "\\n")[:200]
        self.line = line
        self.message = printable(message)[:1000]
        self.output = output
        super().__init__(f"{self.code}: {self.place}: {self.message}")

    @property
    def place(self) -> str:
        """Where, in a word: `Dockerfile line 3`."""
        return _place(self.where, self.line)


def refused(error: ImageError) -> pb.ImageRefused:
    """A refusal as a message."""
    return stated(error.code, error.where, error.message, line=error.line, output=error.output)


def stated(
    code: str, where: str, message: str, *, line: int = 0, output: str = ""
) -> pb.ImageRefused:
    """A refusal of a bot, by one of `CODES`, whatever it is refused for."""
    assert code in CODES, code
    return pb.ImageRefused(code=code, where=where, line=line, message=message, output=output)


def place_of(refused: pb.ImageRefused) -> str:
    """Where it is wrong, in a word: `Dockerfile line 3`."""
    return _place(refused.where, refused.line)


def _place(where: str, line: int) -> str:
    return f"{where} line {line}" if line else where
