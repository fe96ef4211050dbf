"""Names of images in registries: which are well-formed, and which registries are asked at all.

Pure. The engine connects to whatever a reference names, from inside the organiser's network; so the
registry must be one that the organiser has listed, or be left out (the engine's own then).
"""

import re
from collections.abc import Collection
from typing import NamedTuple, NoReturn

from workers.sandbox.images.refusal import ImageError

MAX_LENGTH = 255
RESERVED = ("knockbox", "knockbox-bot")
"""Namespaces of images that are made here."""

_DOMAIN = re.compile(
    r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[0-9]{1,5})?"
)
_PART = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_RIGHT = "write NAME:TAG, REGISTRY/NAME:TAG or NAME@sha256:DIGEST"


class Reference(NamedTuple):
    """An image in a registry, the engine's own where that is empty; a tag or a digest is set."""

    registry: str
    name: str
    tag: str
    digest: str

    @property
    def repository(self) -> str:
        """Registry and name."""
        return f"{self.registry}/{self.name}" if self.registry else self.name

    def __str__(self) -> str:
        return (
            self.repository
            + (f":{self.tag}" if self.tag else "")
            + (f"@{self.digest}" if self.digest else "")
        )


def parse(text: str, registries: Collection[str], bases: Collection[str] = ()) -> Reference:
    """A reference whose registry may be asked. `bases` are local images that nothing may replace.

    Raises ImageError (E_REFERENCE). Asks nobody.
    """
    if not text or len(text) > MAX_LENGTH:
        _refuse(text, f"a reference has 1 to {MAX_LENGTH} characters; {_RIGHT}")
    rest, _, digest = text.partition("@")
    if "@" in text and not _DIGEST.fullmatch(digest):
        _refuse(text, "a digest is sha256: and 64 digits of 0-9, a-f")
    registry, name = _domain(rest)
    name, colon, tag = name.partition(":")
    if colon and not _TAG.fullmatch(tag):
        _refuse(text, f"a tag has letters, digits, _, . and -; {_RIGHT}")
    if not all(map(_PART.fullmatch, name.split("/"))):
        _refuse(text, f"a name has small letters and digits, with single . _ - / between; {_RIGHT}")
    if registry:
        _known(text, registry, registries)
    found = Reference(registry, name, tag or ("" if digest else "latest"), digest)
    if name.split("/")[0] in RESERVED or f"{name}:{found.tag}" in bases or name in bases:
        _refuse(text, "images of this name are made here; none is fetched in their place")
    return found


def _domain(text: str) -> tuple[str, str]:
    """What builders take for a registry, and the rest."""
    first, slash, rest = text.partition("/")
    if slash and (first != first.lower() or "." in first or ":" in first or first == "localhost"):
        return first, rest
    return "", text


def _known(text: str, registry: str, registries: Collection[str]) -> None:
    if registry in registries:
        return
    if not _DOMAIN.fullmatch(registry):
        _refuse(text, f"{registry[:80]!r} is no registry's name; {_RIGHT}")
    listed = ", ".join(sorted(registries)) or "none is listed now"
    _refuse(
        text,
        f"the registry {registry} is not asked from here: the organiser lists those that are, in "
        f"KNOCKBOX_LAUNCH_REGISTRIES ({listed})",
    )


def _refuse(text: str, message: str) -> NoReturn:
    shown = text if len(text) <= 80 else text[:80] + "…"
    raise ImageError("E_REFERENCE", repr(shown), message)
