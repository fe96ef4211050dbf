"""`knockbox bot add`: a folder, an archive, or an image in a registry becomes a bot."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import CommandError, Exit, refused, usage
from arena.cli.options import Data, Json, flag
from arena.cli.parcel import nameless, of_reference

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb
    from workers.sandbox.manifest import BotFolder

PART = 1 << 20


def add(
    bot: Annotated[
        str,
        Parameter(
            help="The folder that holds knockbox.toml; an archive of it, or of an image as "
            "`docker save` writes it; or an image in a registry: REGISTRY/NAME:TAG."
        ),
    ],
    /,
    *,
    name: Annotated[str, Parameter(help="The name of a bot that comes as an image.")] = "",
    check: Annotated[bool, flag("Let it play when it passes the check, as `submit`.")] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """Register a bot, or a new version of it, at once and unchecked.

    To an arena of another machine it is submitted: `knockbox submit` says how.

    A snapshot is kept: what was added is what plays, whatever becomes of the folder. Where a
    container engine answers and the folder has a Dockerfile, its image is built and pinned by its
    digest.

    Example: knockbox bot add ./my-bot
    """
    from arena.cli import options, shapes
    from arena.cli.client import arena

    if check or options.remote() is not None:
        from arena.cli.submit import submitted

        return submitted(bot, name=name, build="arena", version_name="", data=data, json=json)
    requests = _requests(bot, name)
    with arena(data) as stub:
        answer = _followed(stub.SubmitBot(requests))
    if json:
        image = {"image": answer.image or None, "without_image": answer.without_image or None}
        output.as_json({**shapes.bot(answer.bot), "added": answer.added, **image})
        return Exit.OK
    output.data(f"{answer.bot.name} {answer.bot.version}")
    if answer.image:
        output.note(f"image {answer.image}")
    else:
        output.note(f"without an image: {output.printable(answer.without_image)}")
    if not answer.added:
        output.note("this very version was there before; nothing has changed")
    elif answer.bot.versions > 1:
        output.note(f"version {answer.bot.versions}; running matches end on the old one")
    next_of(answer.bot, "knockbox tournament create --watch", "plays all bots against each other")
    return Exit.OK


def next_of(bot: "pb.Bot", command: str, why: str) -> None:
    """The next useful command for a bot that was taken in: what lets it play, where it is retired,
    for no version of it brings it back."""
    if bot.retired_ms:
        output.note(f"{bot.name} is retired, and gets no matches")
        command, why = f"knockbox bot restore {bot.name}", "lets it play again"
    output.next_step(command, why)


def _requests(bot: str, name: str) -> "Iterator[pb.SubmitBotRequest]":
    """What registers it, whatever it is. Raises CommandError."""
    from arena.cli.folders import read
    from knockbox.v1 import arena_pb2 as pb

    path = Path(bot)
    if path.is_file():
        try:
            return _archive(path.open("rb"), name, path.name)
        except OSError as error:
            raise CommandError(f"cannot read {path}: {error.strerror}") from None
    if not of_reference(bot):
        found = read(path)
        if name not in ("", found.name):
            raise usage(f"--name {name}: the bot's knockbox.toml says {found.name}")
        return iter([pb.SubmitBotRequest(folder=request_of(found))])
    if not name:
        raise nameless(bot)
    return iter([pb.SubmitBotRequest(reference=bot, name=name)])


def _archive(archive: BinaryIO, name: str, called: str) -> "Iterator[pb.SubmitBotRequest]":
    from knockbox.v1 import arena_pb2 as pb

    with archive as file:
        yield pb.SubmitBotRequest(archive=file.read(PART), name=name, file=called)
        while part := file.read(PART):
            yield pb.SubmitBotRequest(archive=part)


def _followed(told: "Iterator[pb.SubmitBotResponse]") -> "pb.AddBotResponse":
    """Each line as it comes; what was added. Raises CommandError with the place of a refusal."""
    for one in told:
        if one.HasField("refused"):
            raise refused(one.refused.code, _refusal(one.refused))
        if one.HasField("added"):
            return one.added
        output.note(output.printable(one.line))
    raise CommandError("the arena did not say what became of it")


def _refusal(why: object) -> str:
    from knockbox.v1 import images_pb2
    from workers.sandbox.images.refusal import place_of

    assert isinstance(why, images_pb2.ImageRefused)
    lines = [f"{why.code}: {place_of(why)}: {why.message}"]
    lines += [f"  | {line}" for line in why.output.splitlines()]
    return output.printable("\n".join(lines))


def request_of(found: "BotFolder") -> "pb.AddBotRequest":
    """What registers a bot."""
    from knockbox.v1 import arena_pb2 as pb

    return pb.AddBotRequest(
        name=found.name,
        files=[
            pb.BotFile(path=path, content=content, executable=executable)
            for path, content, executable in found.files
        ],
    )
