"""Builds the Python stubs of proto/ into knockbox/v1 whenever the distribution is built.

The stubs are not committed: the build makes them in its own environment, so that the compiler's
version is stated in one place (pyproject.toml) and never meets the one that is installed.
"""

import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface):
    """Runs protoc over proto/knockbox/v1 before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's call
        """Generate message and service stubs, with types for both, under knockbox/v1."""
        from grpc_tools import protoc  # only in the build's environment

        root = Path(self.root)
        files = sorted((root / "proto").rglob("*.proto"))
        if not files:
            return
        target = root / "knockbox" / "v1"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        plugins = [
            f"--plugin={name}={path}"
            for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
            if (path := shutil.which(name))
        ]
        arguments = [
            "protoc",
            f"-I{root / 'proto'}",
            *plugins,
            f"--python_out={root}",
            f"--grpc_python_out={root}",
            f"--mypy_out=quiet:{root}",
            f"--mypy_grpc_out=quiet:{root}",
            *map(str, files),
        ]
        if protoc.main(arguments) != 0:
            raise RuntimeError("protoc failed; the lines above name the file and the line")
        for package in (target.parent, target):
            (package / "__init__.py").write_text('"""Generated from proto/; do not edit."""\n')
