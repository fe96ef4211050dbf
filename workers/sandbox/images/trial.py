"""Whether the engine can start an image at all, found out before a match depends on it.

What an image says of its folder and environment, and what lies where the engine mounts things, can
make every start fail. In a match that would look like the engine's own trouble and blame nobody.
Nothing of the image is run: the container's program is the engine's own init, which says its
version.
"""

from contextlib import suppress

from docker import DockerClient
from docker.errors import APIError, NotFound
from docker.types import LogConfig

from workers.sandbox.images.refusal import ImageError

_INIT = "/sbin/docker-init"
"""Where the engine puts its init in every container that has one."""
_SMALL = "size=64k,nr_inodes=16"


def check(client: DockerClient, image: str, labels: dict[str, str], where: str) -> None:
    """Raises ImageError (E_START) where the engine cannot start a container like a bot's of this
    image; docker's errors where it does not answer."""
    api = client.api
    made = ""
    try:
        container = client.containers.create(
            image,
            entrypoint=[_INIT, "--version"],
            command=[],
            init=True,
            labels=labels,
            network_mode="none",
            ipc_mode="none",
            hostname="bot",
            user="65534:65534",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            read_only=True,
            tmpfs={"/tmp": _SMALL, "/dev/shm": _SMALL, "/seat": _SMALL},  # noqa: S108 - its own
            mem_limit="32m",
            pids_limit=16,
            log_config=LogConfig(type="none", config={}),
            healthcheck={"test": ["NONE"]},
        )
        made = str(container.id)
        api.start(made)
        api.wait(made)
    except APIError as error:
        words = str(error.explanation or error)
        raise ImageError("E_START", where, f"the engine cannot start it: {words}") from None
    finally:
        if made:
            with suppress(NotFound):
                api.remove_container(made, v=True, force=True)
