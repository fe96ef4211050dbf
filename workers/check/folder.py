"""The rows that are said before anything is played: the bot's folder, and its image."""

from knockbox.v1 import images_pb2
from workers.check import rows
from workers.check.rows import Row, Verdict
from workers.sandbox.declaration import MANIFEST, BotError
from workers.sandbox.images import dockerfile
from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.images.limits import BASES
from workers.sandbox.images.refusal import ImageError, place_of, refused
from workers.sandbox.manifest import BotFolder

_LINES = 20


def read(bot: BotFolder) -> Row:
    """A folder that is fit to be played."""
    size = sum(len(file.content) for file in bot.files)
    reason = f"{bot.name}, {len(bot.files)} files, {size / 1024:,.0f} kB"
    return Row(rows.FOLDER, Verdict.PASS, reason)


def unfit(error: BotError) -> Row:
    """A folder that is not."""
    fix = f"mend it; a bot is a folder with a {MANIFEST}, as docs/authors.md shows"
    return Row(rows.FOLDER, Verdict.FAIL, str(error), fix)


def recipe(bot: BotFolder) -> Row:
    """What would hinder the folder's image from being built, as far as can be read."""
    for file in bot.files:
        if file.path == DOCKERFILE:
            try:
                dockerfile.check(file.content, BASES)
            except ImageError as error:
                return unbuilt(refused(error))
            reason = "its Dockerfile is fit; it was not built here (--sandbox container does)"
            return Row(rows.IMAGE, Verdict.PASS, reason)
    fix = "write a Dockerfile beside the manifest: docs/authors.md has one of two lines"
    reason = "it has no Dockerfile: it cannot play in a container, only unsandboxed"
    return Row(rows.IMAGE, Verdict.NOTE, reason, fix)


def built(image: str) -> Row:
    """It has an image."""
    return Row(rows.IMAGE, Verdict.PASS, f"built and let in: image {image[:19]}")


def unbuilt(told: images_pb2.ImageRefused) -> Row:
    """It has none, through a fault of its folder."""
    fix = "mend that line" if told.line else "mend it"
    fix += "; docs/security.md says what an image may hold, and why"
    lines = tuple(line for line in told.output.splitlines() if line.strip())[-_LINES:]
    why = f"{place_of(told)}: {told.message} ({told.code})"
    return Row(rows.IMAGE, Verdict.FAIL, why, fix, lines)


def uncompiled(reason: str, lines: tuple[str, ...]) -> Row:
    """The `build` of its manifest fails."""
    return Row(rows.BUILD, Verdict.FAIL, reason, "mend what its last lines name", lines)
