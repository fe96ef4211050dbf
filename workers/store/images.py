"""The images that bots' versions are played from, each pinned by its config digest."""

from collections.abc import Callable
from typing import NamedTuple

from workers.names import DIGEST
from workers.store import keys
from workers.store.client import Client


class Image(NamedTuple):
    """A version's image: its config digest, and when it was pinned, Unix milliseconds."""

    digest: str
    pinned_ms: int


class Images:
    """The pins of one store."""

    def __init__(self, client: Client, now_ms: Callable[[], int]) -> None:
        self._client = client
        self._now_ms = now_ms

    def pin(self, version: str, image: str) -> None:
        """Play a version from this image from now on. The same again changes nothing."""
        for digest in (version, image):
            if not DIGEST.fullmatch(digest):
                raise ValueError(f"not a digest: {digest[:80]!r}")
        if self.of(version) != image:
            self._client.hset(keys.IMAGES, version, f"{image} {self._now_ms()}")

    def of(self, version: str) -> str:
        """The image of a version, "sha256:…"; '' where none is pinned."""
        found = self.get(version)
        return found.digest if found else ""

    def get(self, version: str) -> Image | None:
        """The pin of a version, where there is one."""
        told = self._client.hget(keys.IMAGES, version)
        return None if told is None else _image(told)

    def all(self) -> dict[str, str]:
        """Every version that has an image, with its image."""
        found = self._client.hgetall(keys.IMAGES)
        return {version: _image(told).digest for version, told in found.items()}


def _image(told: str) -> Image:
    digest, pinned_ms = told.split(" ")
    return Image(digest, int(pinned_ms))
