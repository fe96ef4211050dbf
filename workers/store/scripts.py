"""Loads the Lua scripts beside it. Each lua/<name>.lua is sent with lua/common.lua before it."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from workers.store.client import Client


class Scripts:
    """The scripts of one client, each by its file's name."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._loaded: dict[str, Any] = {}

    def run(self, name: str, keys: Sequence[str], args: Sequence[str | int | float]) -> Any:
        """What lua/<name>.lua answers; it runs as one step, wholly or not at all."""
        if name not in self._loaded:
            folder = files("workers.store") / "lua"
            text = (folder / "common.lua").read_text() + (folder / f"{name}.lua").read_text()
            self._loaded[name] = self._client.register_script(text)
        return self._loaded[name](keys=keys, args=args)
