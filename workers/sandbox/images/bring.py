"""Images that are made elsewhere: out of an archive, or from a registry. Judged like any other.

Nothing here is ever known by the name that it came with: an image is its config digest.
"""

import tempfile
from collections.abc import Generator, Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from docker.errors import APIError

from workers.sandbox.capture import printable
from workers.sandbox.images import facts, reference, saved
from workers.sandbox.images.engine import FAULTS, Engine
from workers.sandbox.images.reference import Reference
from workers.sandbox.images.refusal import ImageError


def load(engine: Engine, parts: Iterable[bytes], name: str) -> Generator[str, None, str]:
    """Yields what happens, a line each; returns the digest of the image in an archive.

    The archive lies in a file without a name meanwhile. Raises ImageError; docker's errors where
    the engine does not answer.
    """
    limits = engine.limits
    # The archive has its index and config besides the layers; they are small.
    most = limits.image + limits.image // 8
    with tempfile.TemporaryFile() as came, tempfile.TemporaryFile() as unpacked:
        saved.spool(parts, came, most, name)
        file = saved.plain(came, unpacked, most, name)
        image = saved.read(file, name, limits.image)
        facts.check(image.facts, engine.architecture, limits.image, name)
        yield f"{name}: {len(image.layers)} layers, {image.facts.size >> 20} MiB"
        was_here = engine.image(image.digest) is not None
        if not was_here:
            again = saved.anew(file, image)
            with engine.told("/images/load", limits.pull_time, data=again) as told:
                for message in told:
                    if error := message.get("error"):
                        raise ImageError("E_IMAGE", name, f"the engine does not take it: {error}")
    if engine.image(image.digest) is None:
        raise ImageError("E_IMAGE", name, "the engine has made another image of it")
    return _kept(engine, image.digest, name, was_here)


def pull(engine: Engine, text: str) -> Generator[str, None, str]:
    """Yields what happens, a line each; returns the digest of the image that a reference names now.

    Raises ImageError, with E_REFERENCE before anybody is asked; docker's errors where the engine
    does not answer.
    """
    limits = engine.limits
    wanted = reference.parse(text, limits.registries, limits.bases)
    exact = wanted.digest or _digest(engine, wanted)
    pinned = f"{wanted.repository}@{exact}"
    yield pinned
    was_here = engine.image(pinned) is not None
    if wanted.digest and not was_here:
        _digest(engine, wanted)  # of a pull that fails the engine does not say how
    if not was_here:
        yield from _fetched(engine, wanted.repository, exact)
    found = engine.image(pinned)
    if found is None:
        raise ImageError("E_REGISTRY", str(wanted), "the engine has not got it")
    return _kept(engine, str(found["Id"]), str(wanted), was_here)


def _digest(engine: Engine, wanted: Reference) -> str:
    """What the registry has under a tag now; the tag may move, and the digest is what is kept."""
    try:
        told = engine.client.api.inspect_distribution(str(wanted))
    except APIError as error:
        raise _not_given(error, str(wanted)) from None
    return str(told["Descriptor"]["digest"])


def _fetched(engine: Engine, repository: str, digest: str) -> Generator[str, None, None]:
    sizes: dict[str, int] = {}
    said: set[str] = set()
    try:
        wish = {"fromImage": repository, "tag": digest}
        with engine.told("/images/create", engine.limits.pull_time, params=wish) as told:
            for message in told:
                if error := message.get("error"):
                    raise ImageError("E_REGISTRY", repository, str(error))
                _count(message, sizes, engine.limits.image, repository)
                line = printable(f"{message.get('id', '')} {message.get('status', '')}".strip())
                if line not in said and not message.get("progressDetail"):
                    said.add(line)
                    yield line
    except APIError as error:
        raise _not_given(error, repository) from None


def _count(message: dict[str, Any], sizes: dict[str, int], most: int, where: str) -> None:
    detail: dict[str, Any] = message.get("progressDetail") or {}
    sizes[str(message.get("id"))] = int(detail.get("total") or 0)
    facts.check_size(sum(sizes.values()), most, where)


def _not_given(error: APIError, where: str) -> ImageError:
    """What a registry says no to is another than what it says nothing to, or not now."""
    words = str(error.explanation or error)
    if error.is_client_error() and error.status_code != HTTPStatus.TOO_MANY_REQUESTS:
        return ImageError("E_PULL", where, words)
    return ImageError("E_REGISTRY", where, words)


def _kept(engine: Engine, image: str, where: str, was_here: bool) -> str:
    """The image under its name here; gone again where a bot's cannot be so."""
    try:
        engine.check(image, where)
    except ImageError:
        if not was_here:
            with suppress(*FAULTS):
                engine.client.api.remove_image(image, force=True)
        raise
    engine.keep(image, image)
    return image
