"""The engine: how it is reached, and what it is and cannot do."""

from typing import Any

from docker import DockerClient

from knockbox.v1 import launch_pb2

_ARCHITECTURES = ("x86_64", "aarch64")
_LIMITS = {
    "MemoryLimit": "memory of bots is not limited: the kernel's memory control group is off",
    "SwapLimit": "bots may swap beyond their memory: the kernel's swap accounting is off",
    "PidsLimit": "processes of bots are not limited: the kernel's pids control group is off",
    "CpuCfsQuota": "processor time of bots is not limited: the kernel has no quotas",
}


def connect(url: str, timeout: float) -> DockerClient:
    """A client that speaks the engine's own API version. Raises DockerException if none answers."""
    return DockerClient(base_url=url, timeout=int(timeout), max_pool_size=64)


def facts(client: DockerClient, runtime: str = "") -> launch_pb2.GetEngineResponse:
    """The engine, and what it cannot enforce here. Raises DockerException, RequestException."""
    info: dict[str, Any] = client.info()
    return launch_pb2.GetEngineResponse(
        version=info["ServerVersion"],
        api_version=client.api.api_version,
        cgroup=int(info.get("CgroupVersion", "1")),
        runtime=runtime or info["DefaultRuntime"],
        architecture=info["Architecture"],
        processors=info["NCPU"],
        unenforced=unenforced(info, runtime),
    )


def unenforced(info: dict[str, Any], runtime: str) -> list[str]:
    """What cannot be promised on this machine, from what the engine says of itself."""
    found = [why for key, why in _LIMITS.items() if not info.get(key)]
    if not any("seccomp" in option for option in info.get("SecurityOptions") or ()):
        found.append("system calls of bots are not filtered: the engine has no seccomp")
    if info["Architecture"] not in _ARCHITECTURES:
        found.append(f"the filter of system calls does not know {info['Architecture']}")
    if runtime and runtime not in info.get("Runtimes", {}):
        found.append(f"the engine has no runtime {runtime}")
    if info["NCPU"] < 3:
        found.append(
            f"bots share the machine's {info['NCPU']} processors with each other and with the "
            "referee: one that computes in the other's turn can slow it down"
        )
    return found
