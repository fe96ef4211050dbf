"""What an image says of itself, and whether a bot may be one like it. Pure.

Health checks are not judged: they are never run. Neither is a user that is not root: every bot
runs as a user of its own without a name.
"""

import tarfile
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple

from workers.sandbox.images.refusal import ImageError

SETID = 0o6000
MAX_FILES = 200_000
_ROOTS = ("root", "0")
_READ_BY_THE_ENGINE = {"etc": "a folder", "etc/passwd": "a plain file", "etc/group": "a plain file"}
"""What the engine itself opens in an image, as root of the host, at every start."""


class Facts(NamedTuple):
    """One image. `architecture` is the engine's word (amd64, arm64), `size` unpacked bytes."""

    system: str
    architecture: str
    volumes: tuple[str, ...]
    triggers: tuple[str, ...]
    user: str
    command: tuple[str, ...]
    size: int


def of_config(config: Mapping[str, Any], size: int) -> Facts:
    """The facts in an image's config, as archives hold it. Raises TypeError for what is none."""
    return _facts(config["os"], config["architecture"], config.get("config") or {}, size)


def of_inspect(told: Mapping[str, Any]) -> Facts:
    """The facts in what the engine tells of an image."""
    return _facts(told["Os"], told["Architecture"], told.get("Config") or {}, told["Size"])


def _facts(system: Any, architecture: Any, config: Mapping[str, Any], size: int) -> Facts:
    return Facts(
        system=str(system),
        architecture=str(architecture),
        volumes=tuple(map(str, config.get("Volumes") or ())),
        triggers=tuple(map(str, config.get("OnBuild") or ())),
        user=str(config.get("User") or ""),
        command=tuple(map(str, [*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())])),
        size=size,
    )


def check(facts: Facts, architecture: str, most: int, where: str) -> None:
    """Refuse what cannot be a bot's image on a machine of this architecture.

    Raises ImageError: E_ARCHITECTURE, E_VOLUME, E_ONBUILD, E_USER, E_COMMAND, E_TOO_BIG.
    """
    if facts.system != "linux" or facts.architecture != architecture:
        found = f"{facts.system[:20]}/{facts.architecture[:20]}"
        raise ImageError(
            "E_ARCHITECTURE", where, f"it is for {found}; build it for linux/{architecture}"
        )
    if facts.volumes:
        names = ", ".join(facts.volumes)[:200]
        raise ImageError(
            "E_VOLUME",
            where,
            f"it declares the volume {names}, which would be written to the host's disk; build it "
            "without VOLUME: a bot may write to /tmp",
        )
    if facts.triggers:
        raise ImageError("E_ONBUILD", where, "it has ONBUILD triggers; build it without them")
    if facts.user.split(":")[0] in _ROOTS:
        raise ImageError(
            "E_USER", where, "it wants to run as root; end the Dockerfile with USER 65534:65534"
        )
    if not facts.command:
        raise ImageError("E_COMMAND", where, 'it says nothing to run; add CMD ["./bot"]')
    check_size(facts.size, most, where)


def check_size(size: int, most: int, where: str) -> None:
    """Raises ImageError (E_TOO_BIG)."""
    if size > most:
        raise ImageError(
            "E_TOO_BIG",
            where,
            f"it has more than {most >> 20:,} MiB; copy only what the bot runs with, from a stage "
            "that builds it",
        )


def check_files(members: Iterable[tarfile.TarInfo], where: str) -> None:
    """Refuse programs that change their user, devices and pipes in an image's whole file system.

    Devices in /dev do not count: a container has its own there. What the engine reads must be what
    it looks like: a pipe there would hold up the engine for ever.
    Raises ImageError (E_SETUID, E_SPECIAL, E_LINK).
    """
    changing: list[str] = []
    for number, member in enumerate(members):
        if number == MAX_FILES:
            raise ImageError("E_TOO_BIG", where, f"it has more than {MAX_FILES:,} files")
        if member.isreg() and member.mode & SETID:
            changing.append("/" + member.name)
        elif member.isdev() and (member.isfifo() or not member.name.startswith("dev/")):
            kind = "pipe" if member.isfifo() else "device"
            raise ImageError("E_SPECIAL", where, f"/{member.name[:200]} is a {kind}; leave it out")
        _is_what_it_should_be(member, where)
    if changing:
        names = ", ".join(changing[:5]) + (" …" if len(changing) > 5 else "")
        raise ImageError(
            "E_SETUID",
            where,
            f"{len(changing)} of its programs change their user or group ({names}); add\n"
            "RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} +",
        )


def _is_what_it_should_be(member: tarfile.TarInfo, where: str) -> None:
    due = _READ_BY_THE_ENGINE.get(member.name.rstrip("/"))
    if due is None or (member.isdir() if due == "a folder" else member.isreg()):
        return
    code = "E_LINK" if member.issym() or member.islnk() else "E_SPECIAL"
    raise ImageError(code, where, f"/{member.name} is not {due}; make it one")


def members(stream: BinaryIO) -> Iterable[tarfile.TarInfo]:
    """The members of a file system as the engine exports it, read once from the front."""
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        while (member := tar.next()) is not None:
            tar.members.clear()  # pyright: ignore[reportAttributeAccessIssue] - it keeps every one
            yield member
