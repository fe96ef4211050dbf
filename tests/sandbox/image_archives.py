"""Images as `docker save` writes them, made by hand: of any layers and any config."""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Iterable, Mapping
from typing import Any

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), "amd64")


def layer(files: Mapping[str, bytes], mode: int = 0o755) -> bytes:
    """A file system's part as a tar."""
    return tar([(name, content, mode) for name, content in files.items()])


def tar(members: Iterable[tuple[str, bytes, int]]) -> bytes:
    """A plain tar of plain files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as whole:
        for name, content, mode in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), mode
            whole.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def config(layers: Iterable[bytes], **settings: Any) -> bytes:
    """An image's config; `settings` are Cmd, User, Volumes …"""
    diffs = ["sha256:" + hashlib.sha256(part).hexdigest() for part in layers]
    whole = {
        "architecture": settings.pop("architecture", ARCHITECTURE),
        "os": "linux",
        "config": {"Cmd": ["/bot"], **settings},
        "rootfs": {"type": "layers", "diff_ids": diffs},
        "history": [{"created_by": "by hand"} for _ in diffs],
    }
    return json.dumps(whole).encode()


def digest(of: bytes) -> str:
    """As images are named."""
    return "sha256:" + hashlib.sha256(of).hexdigest()


def saved(
    layers: list[bytes],
    own: bytes,
    names: list[str] | None = None,
    extra: dict[str, bytes] | None = None,
) -> bytes:
    """The archive of one image."""
    paths = [f"{number}/layer.tar" for number in range(len(layers))]
    index = [{"Config": "c.json", "RepoTags": names, "Layers": paths}]
    members = [(path, content, 0o644) for path, content in zip(paths, layers, strict=True)]
    members += [("c.json", own, 0o644), ("manifest.json", json.dumps(index).encode(), 0o644)]
    return tar(members + [(name, content, 0o644) for name, content in (extra or {}).items()])
