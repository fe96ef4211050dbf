"""`knockbox submit`: a bot goes to an arena, is built and checked there, and plays if it passes."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.cli import options, output
from arena.cli.errors import CommandError, Exit, refused, usage
from arena.cli.options import Data, Json
from arena.cli.parcel import Build, Parcel

if TYPE_CHECKING:
    from knockbox.v1 import submissions_pb2 as sub

ENDED = "the arena ended; the submission goes on after `knockbox up`"


def submit(
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
    build: Annotated[
        Build,
        Parameter(
            help="Where a folder's image is built: here, by the arena, or here where an engine "
            "answers and the arena is another machine's."
        ),
    ] = "auto",
    version_name: Annotated[
        str, Parameter(help="What you call this version, as 1.4; stands for it for good.")
    ] = "",
    dial_in: Annotated[
        bool,
        options.flag(
            "The bot stays on this machine and plays from here: only its name goes to the arena. "
            "BOT is its folder, or its name."
        ),
    ] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """Send a bot to an arena, have it checked, and play from then on.

    The version before it plays on until this one is accepted. A sending that breaks off goes on
    where it stopped, with the same command. Ctrl-C leaves a submission running.

    Exit code 3: it was refused through a fault of the bot.

    KNOCKBOX_ARENA (or --arena) names the arena, KNOCKBOX_TOKEN holds the token.

    Example: knockbox submit ./my-bot
    """
    if dial_in:
        of_files = {"--name": name, "--build": build != "auto", "--data": data}
        if idle := [option for option, given in of_files.items() if given]:
            raise usage(f"--dial-in sends no files: leave {' and '.join(idle)} out")
        return _registered(bot, version_name, json=json)
    return submitted(bot, name=name, build=build, version_name=version_name, data=data, json=json)


def _registered(bot: str, version_name: str, *, json: bool) -> int:
    """Register a bot that dials in; the exit code. Raises CommandError."""
    from arena.cli import dial
    from arena.cli.folders import read

    if options.remote() is None:
        raise usage("--dial-in names the arena too: --arena HOST:PORT, or KNOCKBOX_ARENA")
    name = read(Path(bot)).name if Path(bot).is_dir() else bot
    added = dial.add(name, version_name)
    if json:
        output.as_json({"bot": name, "dial_in": True, "added": added})
        return Exit.OK
    output.data(name)
    _next(name, f"knockbox dial {bot}", "keeps it online, from this machine")
    return Exit.OK


def submitted(
    bot: str, *, name: str, build: Build, version_name: str, data: Path | None, json: bool
) -> int:
    """Do it, and follow it to its end; the exit code. Raises CommandError."""
    from arena.cli import handedin
    from arena.cli.client import arena
    from arena.cli.parcel import packed
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        images = stub.GetStatus(pb.GetStatusRequest()).images
    with packed(bot, name, build, images) as parcel:
        found = _handed_in(parcel, version_name, data)
    try:
        found = _followed(found, data)
    except KeyboardInterrupt:
        output.note(f"{found.submission_id} goes on by itself")
        output.next_step(f"knockbox bot show {found.bot}", "says what has become of it")
        return Exit.INTERRUPTED
    if json:
        output.as_json(handedin.submission(found))
    return _told(found, data, json=json)


def _handed_in(parcel: Parcel, version_name: str, data: Path | None) -> "sub.Submission":
    """Hand it in, sending it where the same is not there already."""
    from arena.cli.client import NotThereError, arena
    from arena.cli.sending import send
    from knockbox.v1 import submissions_pb2 as sub

    request = sub.CreateSubmissionRequest(
        bot=parcel.bot, version_name=version_name, file=parcel.called
    )
    if parcel.file is None:
        request.reference = parcel.reference
    else:
        request.upload = parcel.digest

    def create() -> "sub.Submission":
        with arena(data) as stub:
            return stub.CreateSubmission(request).submission

    if parcel.file is None:
        return create()
    with suppress(NotThereError):
        return create()
    try:
        send(options.settings(data).data, parcel)
    except NotThereError:
        # Somebody may have handed the same in meanwhile; then nothing more of it is needed.
        with suppress(NotThereError):
            return create()
        raise
    return create()


def _followed(found: "sub.Submission", data: Path | None) -> "sub.Submission":
    """Tell each step of it; as it stands in the end."""
    from arena.cli import handedin
    from arena.cli.watching import follow
    from knockbox.v1 import submissions_pb2 as sub

    request = sub.WatchSubmissionRequest(submission_id=found.submission_id)
    over = (sub.SUBMISSION_STATE_ACCEPTED, sub.SUBMISSION_STATE_REFUSED)
    told, rows = sub.SUBMISSION_STATE_UNSPECIFIED, 0
    for answer in follow(
        options.settings(data).data,
        lambda stub: stub.WatchSubmission(request),
        lambda answer: answer.submission.state in over,
        ENDED,
    ):
        found = answer.submission
        # What an answer tells is told below the state in which it happened.
        for state, lines in (
            (sub.SUBMISSION_STATE_BUILDING, answer.lines),
            (sub.SUBMISSION_STATE_CHECKING, [handedin.row(row) for row in found.checks[rows:]]),
            (found.state, ()),
        ):
            if state != told and (lines or state == found.state):
                told = state
                output.note(f"{found.submission_id}: {handedin.state_of(state)}")
            for line in lines:
                output.note(f"  {output.printable(line)}")
        rows = len(found.checks)
    return found


def _told(found: "sub.Submission", data: Path | None, *, json: bool) -> int:
    """Say what has become of it; the exit code. Raises CommandError where it was refused."""
    from arena.cli import handedin
    from knockbox.v1 import submissions_pb2 as sub

    if found.state == sub.SUBMISSION_STATE_REFUSED:
        raise refused(found.code, handedin.refusal(found))
    if not json:
        output.data(f"{found.bot} {found.version}")
    if found.without_image:
        output.note(f"without an image: {output.printable(found.without_image)}")
    _next(found.bot, f"knockbox bot show {found.bot}", "how it does", data)
    return Exit.OK


def _next(name: str, command: str, why: str, data: Path | None = None) -> None:
    """The next useful command, by how the bot stands, where the arena still says it."""
    from arena.cli.botadd import next_of
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with suppress(CommandError), arena(data) as stub:
        next_of(stub.GetBot(pb.GetBotRequest(name=name)).bot, command, why)
        return
    output.next_step(command, why)
