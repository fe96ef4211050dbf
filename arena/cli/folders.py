"""Bot folders of this machine, as commands are given them."""

from pathlib import Path

from arena.cli.errors import usage
from workers.sandbox import manifest
from workers.sandbox.manifest import BotFolder


def read(folder: Path) -> BotFolder:
    """The bot in `folder`. Raises CommandError that says what is wrong with it."""
    if not folder.is_dir():
        raise usage(f"{folder} is not a folder: name the folder that holds {manifest.MANIFEST}")
    try:
        return manifest.read(folder)
    except manifest.BotError as error:
        raise usage(f"{folder}: {error}") from None


def samples() -> list[Path]:
    """The sample bots that come with Knockbox."""
    import arena

    assert arena.__file__
    root = Path(arena.__file__).parents[1] / "sample_bots" / "python"
    return sorted(found.parent for found in root.glob("*/knockbox.toml"))
