"""What is asked of the engine about images: which there are, what they hold, their names here.

Images of bots carry labels and one name, `knockbox-bot:<digits>`, so that nothing clears them away
as nameless.
"""

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

from docker import DockerClient
from docker.errors import (
    APIError,
    DockerException,
    ImageNotFound,
    NotFound,
    create_api_error_from_http_exception,
)
from docker.utils.json_stream import json_stream
from requests.exceptions import HTTPError, RequestException

from workers.sandbox.images import facts, trial
from workers.sandbox.images.limits import Limits

FAULTS = (DockerException, RequestException)
"""What docker-py raises where the engine does not answer, or says no."""
REPOSITORY = "knockbox-bot"
LABEL_VERSION = "knockbox.bot.version"
"""On an image that was built: the digest of the folder."""
LABEL = "knockbox"
"""On whatever is made here for a moment."""


class Engine:
    """The images of one engine. Raises docker's errors where it does not answer."""

    def __init__(self, client: DockerClient, limits: Limits) -> None:
        self.client = client
        self.limits = limits

    @property
    def architecture(self) -> str:
        """As images call it: amd64, arm64."""
        return str(self.client.version()["Arch"])

    def image(self, name: str) -> dict[str, Any] | None:
        """What the engine tells of an image, by name or digest; None where it is not here."""
        try:
            return self.client.api.inspect_image(name)
        except ImageNotFound:
            return None

    def built(self, version: str) -> str:
        """The digest of the image that was built from a folder of this digest; '' for none."""
        found = self.image(tag_of(version))
        if found is None:
            return ""
        labels: dict[str, str] = (found.get("Config") or {}).get("Labels") or {}
        return str(found["Id"]) if labels.get(LABEL_VERSION) == version else ""

    def keep(self, image: str, version: str) -> None:
        """Give an image its name here."""
        self.client.api.tag(image, REPOSITORY, tag_of(version).partition(":")[2], force=True)

    def drop(self, image: str) -> None:
        """Remove an image that has no name, and what it alone is made of."""
        found = self.image(image)
        if found is not None and not found.get("RepoTags"):
            with suppress(NotFound, APIError):  # another image may be built on it
                self.client.api.remove_image(image)

    def forget(self, image: str) -> None:
        """Take an image's names as a bot's, and the image with the last of them."""
        found = self.image(image) or {}
        for name in found.get("RepoTags") or ():
            if str(name).startswith(f"{REPOSITORY}:"):
                with suppress(NotFound, APIError):  # a container may be made of it still
                    self.client.api.remove_image(name)

    def check(self, image: str, where: str) -> None:
        """Refuse what cannot be a bot's image. Raises ImageError."""
        told = self.client.api.inspect_image(image)
        facts.check(facts.of_inspect(told), self.architecture, self.limits.image, where)
        with self._files(image) as stream:
            facts.check_files(facts.members(stream), where)
        trial.check(self.client, image, {LABEL: "look"}, where)

    @contextmanager
    def stream(
        self, method: str, path: str, timeout: float, **request: Any
    ) -> Iterator[Iterator[bytes]]:
        """Ask the engine; its answer in parts, as they come. Leaving early ends what was asked for.

        docker-py's own streams cannot be left: their connections stay open.
        """
        api = self.client.api
        url = f"{api.base_url}/v{api.api_version}{path}"
        response = api.request(method, url, stream=True, timeout=timeout, **request)
        try:
            response.raise_for_status()
            yield response.iter_content(None)
        except HTTPError as error:
            create_api_error_from_http_exception(error)
        finally:
            response.close()

    @contextmanager
    def told(self, path: str, timeout: float, **request: Any) -> Iterator[Iterator[dict[str, Any]]]:
        """Have the engine do something; what it tells meanwhile."""
        with self.stream("POST", path, timeout, **request) as parts:
            yield cast("Iterator[dict[str, Any]]", json_stream(cast("Any", parts)))

    @contextmanager
    def _files(self, image: str) -> Iterator[io.BufferedReader]:
        """The whole file system of an image, as a tar, of a container that is never started."""
        api = self.client.api
        container = api.create_container(
            image, command=["-"], labels={LABEL: "look"}, network_disabled=True, working_dir="/"
        )["Id"]
        try:
            path = f"/containers/{container}/export"
            with self.stream("GET", path, self.limits.pull_time) as parts:
                yield io.BufferedReader(_Parts(parts), 256 * 1024)
        finally:
            with suppress(NotFound):
                api.remove_container(container, v=True, force=True)


class _Parts(io.RawIOBase):
    """Parts that come one after the other, as a file."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = memoryview(part)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def tag_of(version: str) -> str:
    """The name here of a version's image ("sha256:…")."""
    return f"{REPOSITORY}:{version.removeprefix('sha256:')[:32]}"
