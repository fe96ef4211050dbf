"""How an image, an archive or a Dockerfile is refused: a code, a place, and what would be right."""

from knockbox.v1 import images_pb2 as pb
from workers.sandbox.capture import printable

CODES = {
    "E_NO_DOCKERFILE": "there is no Dockerfile",
    "E_DOCKERFILE": "a line of the Dockerfile cannot be",
    "E_BASE": "an image that the Dockerfile builds on is not on this machine",
    "E_BUILD": "a command of the Dockerfile has failed",
    "E_BUILD_LIMIT": "building takes more time, room or output than it may",
    "E_ARCHIVE": "the file is no archive that can be read",
    "E_PATH": "a member's name leads out of the archive, or cannot be",
    "E_LINK": "a member is a link",
    "E_SPECIAL": "a member is a device, a pipe or a socket",
    "E_ROOT": "what is wanted lies in a folder of the archive",
    "E_TOO_BIG": "it is too big, or unpacks to too much",
    "E_REFERENCE": "the reference is none, or its registry is not asked",
    "E_PULL": "the registry does not give the image",
    "E_IMAGE": "the archive holds no image, or more than one",
    "E_VOLUME": "the image declares volumes",
    "E_ONBUILD": "the image has triggers for images built on it",
    "E_SETUID": "programs in the image change their user or group",
    "E_USER": "the image wants to run as root",
    "E_COMMAND": "the image does not say what to run",
    "E_START": "the engine cannot start it",
    "E_ARCHITECTURE": "the image is for other machines",
}
"""Every code, and what it means."""


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
        return f"{self.where} line {self.line}" if self.line else self.where


def refused(error: ImageError) -> pb.ImageRefused:
    """A refusal as a message."""
    return pb.ImageRefused(
        code=error.code,
        where=error.where,
        line=error.line,
        message=error.message,
        output=error.output,
    )
