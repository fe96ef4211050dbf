"""What the store refuses, and which failures mean that it does not answer.

StoreError
├── FormatError     the data was written by a newer version, or by something else
├── BadName         the name breaks the rule
├── NameTaken       the name, or one that looks like it, belongs to another
│   └── BotTaken    a bot's; it is refused with a code
├── LadderRuns      a ladder is started that runs
├── VersionTaken    an author's name of a version stands for other content, or that has another
├── LimitReached    an author has as much here as one may have
└── NotFound        no such bot, tournament, ladder or match
"""

from redis import exceptions


class StoreError(Exception):
    """Any refusal of the store; the message is written for people."""


class FormatError(StoreError):
    """The store's data cannot be used by this version."""


class BadName(StoreError):  # noqa: N818 - a refusal, not a failure
    """A name that breaks the name rule."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name[:40]!r} is no name for a bot, tournament or ladder: {why}")
        self.name = name


class NameTaken(StoreError):  # noqa: N818 - a refusal, not a failure
    """A name that is in use, or looks like one that is."""

    def __init__(self, name: str, by: str) -> None:
        likeness = "is taken" if name == by else f"looks like {by!r}, which exists"
        self.reason = f"the name {name!r} {likeness}"
        super().__init__(self.reason)
        self.name = name
        self.by = by


class BotTaken(NameTaken):
    """A bot's name that is another's, or looks like one."""

    def __str__(self) -> str:
        return f"E_NAME: {self.reason}"


class NotFound(StoreError):  # noqa: N818 - a refusal, not a failure
    """An id that stands for nothing."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"no {kind} {name[:80]!r}")
        self.kind = kind
        self.name = name


class VersionTaken(StoreError):  # noqa: N818 - a refusal, not a failure
    """A version is named that is there with other content; or content that is `there` already,
    which has this name."""

    def __init__(self, bot: str, version_name: str, *, there: bool = False) -> None:
        self.reason = (
            f"this is the version {version_name!r} of {bot} already; submit it under that name, or "
            "under none"
            if there
            else f"{bot} has a version {version_name!r} with other content; name this one "
            "differently"
        )
        super().__init__(f"E_EXISTS: {self.reason}")


class LimitReached(StoreError):  # noqa: N818 - a refusal, not a failure
    """A limit for authors would be passed; `limit` is the setting that says how much may be."""

    def __init__(self, limit: str, found: str) -> None:
        super().__init__(f"the arena's limit {limit} is reached: {found}")
        self.limit = limit


class LadderRuns(StoreError):  # noqa: N818 - a refusal, not a failure
    """A ladder that is to be started runs already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the ladder {name!r} runs already; `knockbox ladder show {name}`")
        self.name = name


DOWN: tuple[type[Exception], ...] = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
)
"""What is raised when the store does not answer, or cannot write: wait and try again."""
