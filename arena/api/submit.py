"""How the organiser's bots come in: as folders, archives and images, at once and unchecked."""

import tempfile
from collections.abc import Generator, Iterator

import grpc

from arena.api.bots import BotDesk, checked
from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from workers.folders import Folders
from workers.intake import NO_ENGINE, Intake, NoEngineError, RefusedError, Taken, made, refusal
from workers.names import complaint
from workers.sandbox.images import saved
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.refusal import ImageError
from workers.sandbox.manifest import BotError
from workers.store import Store

NAMELESS = "an image has no name of its own: say which, like --name my-bot"


class SubmitDesk:
    """Takes bots in for one owner. `launcher` is where ImageService answers, unix:///ABS/PATH."""

    def __init__(
        self, store: Store, folders: Folders, bots: BotDesk, owner: str, launcher: str
    ) -> None:
        self._store = store
        self._folders = folders
        self._bots = bots
        self._owner = owner
        self._intake = Intake(folders, store.images, launcher)

    def add(self, request: pb.AddBotRequest) -> pb.AddBotResponse:
        """A folder, without a word in between. Raises RefusalError, StoreError."""
        try:
            return made(self._folder(request))
        except RefusedError as error:
            raise invalid("files", str(error)) from None

    def submit(self, requests: Iterator[pb.SubmitBotRequest]) -> Iterator[pb.SubmitBotResponse]:
        """A bot in any way, telling what happens. Raises RefusalError, StoreError."""
        first = next(requests, pb.SubmitBotRequest())
        try:
            steps = self._whichever(first, requests)
            while True:
                try:
                    yield pb.SubmitBotResponse(line=next(steps))
                except StopIteration as end:
                    yield pb.SubmitBotResponse(added=end.value)
                    return
        except (RefusedError, ImageError, BotError) as error:
            yield pb.SubmitBotResponse(refused=refusal(error))
        except NoEngineError:
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION, f"{NO_ENGINE}: images cannot be taken in"
            ) from None

    def _whichever(
        self, first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]
    ) -> Generator[str, None, pb.AddBotResponse]:
        match first.WhichOneof("source"):
            case "folder":
                return (yield from self._folder(first.folder))
            case "archive":
                return (yield from self._archive(first, rest))
            case "reference":
                name = self._named(first.name)
                return self._added(name, (yield from self._intake.reference(first.reference)))
            case _:
                raise invalid("source", "one of folder, archive and reference")

    def _folder(self, request: pb.AddBotRequest) -> Generator[str, None, pb.AddBotResponse]:
        folder = checked(request)
        self._store.bots.free(folder.name, self._owner)
        return self._added(folder.name, (yield from self._intake.folder(folder)))

    def _archive(
        self, first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]
    ) -> Generator[str, None, pb.AddBotResponse]:
        called = first.file[:100] or "the archive"

        def judge(name: str) -> None:
            if name and first.name not in ("", name):
                raise invalid("name", f"{first.name[:40]!r} is not {name!r}, as its files say")
            self._named(name or first.name)

        with tempfile.TemporaryFile(dir=self._folders.incoming_folder) as file:
            size = saved.spool(_parts(first, rest), file, Limits().image, called)
            taken = yield from self._intake.archive(file, size, called, judge)
        return self._added(taken.name or first.name, taken)

    def _named(self, name: str) -> str:
        """The name of a bot that is an image. Raises RefusalError, NameTaken."""
        if not name:
            raise invalid("name", NAMELESS)
        if wrong := complaint(name):
            raise invalid("name", f"{name[:40]!r} is no bot's name: {wrong}")
        self._store.bots.free(name, self._owner)
        return name

    def _added(self, name: str, taken: Taken) -> pb.AddBotResponse:
        self._intake.keep(taken)
        added = self._store.bots.add(name, taken.version, self._owner)
        bot = self._bots.message(name)
        return pb.AddBotResponse(
            bot=bot, added=added, image=taken.image, without_image=taken.without_image
        )


def _parts(first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]) -> Iterator[bytes]:
    yield first.archive
    for request in rest:
        yield request.archive
