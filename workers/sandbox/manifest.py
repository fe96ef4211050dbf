"""A bot's folder: what it must look like, and how its files travel. Trusts nothing in it.

    folder on a person's disk  --read-->  BotFolder  --unpack-->  snapshot on the arena's disk
    files of an upload  --from_files-->  BotFolder

`read` follows `include` and `exclude`, and so runs only where the folder's owner runs it;
`from_files` reads no disk. `__pycache__`, `.git` and `*.pyc` are left out. Nothing is executed
here.
"""

import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from workers.sandbox.declaration import EXAMPLE, MANIFEST, BotError, Manifest, base, parse

MAX_BYTES = 16 * 1024 * 1024
MAX_FILES = 2_000
MAX_PATH = 255
SKIPPED_FOLDERS = frozenset({"__pycache__", ".git"})

# Blanks of one line only: \s would look through all lines to come, from each of them anew.
_IMPORTS_SDK = re.compile(rb"^[ \t]*(from|import)[ \t]+knockbox_sdk\b", re.MULTILINE)


class File(NamedTuple):
    """One file: a relative path with forward slashes, its content, whether it may be executed."""

    path: str
    content: bytes
    executable: bool


class BotFolder(NamedTuple):
    """A bot that is fit to be stored and played. `files` are sorted by path; `build` and `exclude`
    are the manifest's."""

    name: str
    command: tuple[str, ...]
    files: tuple[File, ...]
    build: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


# Files, wherever they come from.


def from_files(files: Iterable[tuple[str, bytes, bool]]) -> BotFolder:
    """A bot from the files of an upload. Raises BotError; touches no disk."""
    kept: dict[str, File] = {}
    folded: dict[str, str] = {}
    size = 0
    for path, content, executable in files:
        check_path(path)
        if _skipped(path.split("/")):
            continue
        size += len(content)
        if size > MAX_BYTES:
            raise BotError(path, f"with it the folder has more than {MAX_BYTES >> 20} MiB")
        if len(kept) >= MAX_FILES:
            raise BotError(path, f"the folder has more than {MAX_FILES:,} files")
        _claim(path, folded)
        kept[path] = File(path, bytes(content), bool(executable))
    if MANIFEST not in kept:
        raise BotError(MANIFEST, f"is missing. A whole one is the line {EXAMPLE}")
    manifest = parse(kept[MANIFEST].content)
    for folder in manifest.include:
        if not any(path.startswith(base(folder) + "/") for path in kept):
            raise BotError(f"{MANIFEST} bot.include", f"{folder} was not packed with the bot")
    _hint_at_sdk(kept)
    files_kept = tuple(kept[path] for path in sorted(kept))
    return BotFolder(manifest.name, manifest.command, files_kept, manifest.build, manifest.exclude)


def check_path(path: str) -> None:
    """Raises BotError unless the path is relative, plain and safe on every system."""
    if not path or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH:
        raise BotError(path or "(empty)", f"a path has 1 to {MAX_PATH} bytes")
    if "\\" in path or any(unicodedata.category(letter)[0] == "C" for letter in path):
        raise BotError(path, "a path has no backslashes and no control characters")
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        raise BotError(path, "must be relative to the bot's folder")
    for part in path.split("/"):
        if part in ("", ".", ".."):
            raise BotError(path, f"a path has no {part!r} parts; it must stay in the bot's folder")


def _claim(path: str, folded: dict[str, str]) -> None:
    """Refuse two paths that are one on a disk that ignores case, and a file used as a folder."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        prefix = "/".join(parts[:depth])
        is_file = depth == len(parts)
        key = unicodedata.normalize("NFC", prefix).casefold()
        mark = f"{'file' if is_file else 'folder'} {prefix}"
        before = folded.setdefault(key, mark)
        if before != mark or (is_file and before == mark and folded.get(f"\0{key}")):
            raise BotError(path, f"clashes with the {before}; on some disks they are one")
        if is_file:
            folded[f"\0{key}"] = path


def _skipped(parts: list[str]) -> bool:
    return any(part in SKIPPED_FOLDERS for part in parts) or parts[-1].endswith(".pyc")


def _hint_at_sdk(files: Mapping[str, File]) -> None:
    if any(path.startswith("knockbox_sdk/") or path == "knockbox_sdk.py" for path in files):
        return
    for path, file in files.items():
        if path.endswith(".py") and _IMPORTS_SDK.search(file.content):
            raise BotError(
                path,
                "imports knockbox_sdk, which is not in the folder; copy it beside the bot, or add "
                f'include = ["../knockbox_sdk"] to {MANIFEST} with the way to where it is',
            )


# Folders on a disk.


def read(folder: Path) -> BotFolder:
    """The bot in a folder of this machine, its includes beside it. Raises BotError."""
    manifest = manifest_of(folder)
    found = _Walk(manifest.exclude)
    found.add(folder, "")
    for include in manifest.include:
        source, name = folder / include, base(include)
        if (folder / name).is_dir():
            continue  # a packed copy lies beside the bot already
        if source.is_symlink() or not source.is_dir():
            raise BotError(f"{MANIFEST} bot.include", f"{include} is not a folder (at {source})")
        found.add(source, name + "/")
    return from_files(found.files.values())


def manifest_of(folder: Path) -> Manifest:
    """What a folder's knockbox.toml says, nothing else being looked at. Raises BotError."""
    if not folder.is_dir():
        raise BotError(str(folder), "is not a folder")
    if not (folder / MANIFEST).exists():
        raise BotError(MANIFEST, f"is missing. A whole one is the line {EXAMPLE}")
    first = _Walk()
    first.take(folder / MANIFEST, MANIFEST)
    return parse(first.files[MANIFEST][1])


class _Walk:
    """Collects files within the limits, and meets links and devices with a refusal."""

    def __init__(self, exclude: Collection[str] = ()) -> None:
        self.files: dict[str, tuple[str, bytes, bool]] = {}
        self.size = 0
        self._exclude = exclude

    def add(self, folder: Path, prefix: str) -> None:
        """All files of a folder, deepest paths included."""
        try:
            entries = sorted(os.scandir(folder), key=lambda each: each.name)
        except OSError as error:
            raise BotError(prefix or str(folder), f"cannot be read: {error.strerror}") from None
        for entry in entries:
            path = prefix + entry.name
            if _skipped([entry.name]) or path in self._exclude:
                continue
            if entry.is_symlink():
                raise BotError(path, "is a link; a bot's folder holds plain files and folders")
            if entry.is_dir():
                check_path(path)
                self.add(Path(entry.path), path + "/")
            elif entry.is_file():
                self.take(Path(entry.path), path)
            else:
                raise BotError(path, "is no plain file; a bot's folder holds files and folders")

    def take(self, file: Path, path: str) -> None:
        """One file. Raises BotError."""
        check_path(path)
        if len(self.files) >= MAX_FILES:
            raise BotError(path, f"the folder has more than {MAX_FILES:,} files")
        try:
            # O_NOFOLLOW, O_NONBLOCK: what was a file a moment ago may be a link or a pipe now.
            handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as source:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode):
                    raise BotError(path, "is no plain file")
                content = source.read(MAX_BYTES - self.size + 1)
        except OSError as error:
            raise BotError(path, f"cannot be read: {error.strerror}") from None
        self.size += len(content)
        if self.size > MAX_BYTES:
            raise BotError(path, f"with it the folder has more than {MAX_BYTES >> 20} MiB")
        self.files[path] = (path, content, bool(status.st_mode & stat.S_IXUSR))


# Versions and snapshots.


def digest(files: Iterable[File]) -> str:
    """The version of these files, "sha256:" and 64 hexadecimal digits: paths, contents, flags."""
    total = hashlib.sha256(b"knockbox bot 1\n")
    for path, content, executable in sorted(files):
        name = path.encode()
        total.update(b"%d %d %d\n" % (len(name), len(content), executable))
        total.update(name + content)
    return f"sha256:{total.hexdigest()}"


def unpack(files: Iterable[File], target: Path) -> None:
    """Write the files into a folder that is new or empty. Raises BotError for an unsafe path."""
    target.mkdir(parents=True, exist_ok=True)
    for path, content, executable in files:
        check_path(path)
        place = target.joinpath(*path.split("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as out:
            out.write(content)
        place.chmod(0o755 if executable else 0o644)
