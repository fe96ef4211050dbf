"""Bot folders of this machine, as commands are given them."""

from collections.abc import Sequence
from pathlib import Path

from arena.cli.errors import at_fault, usage
from workers.sandbox import manifest
from workers.sandbox.manifest import BotFolder


def read(folder: Path) -> BotFolder:
    """The bot in `folder`. Raises CommandError that says what is wrong with it."""
    there(folder)
    try:
        return manifest.read(folder)
    except manifest.BotError as error:
        raise at_fault(f"{folder}: {error}") from None


def there(folder: Path) -> None:
    """Raises CommandError where there is no such folder."""
    if not folder.is_dir():
        raise usage(f"{folder} is not a folder: name the folder that holds {manifest.MANIFEST}")


def rivals(names: Sequence[str]) -> tuple[BotFolder, ...]:
    """The packaged bots of these names."""
    found = {folder.name: folder for folder in samples()}
    return tuple(manifest.read(found[name]) for name in names)


def samples() -> list[Path]:
    """The sample bots that come with Knockbox."""
    import arena

    assert arena.__file__
    root = Path(arena.__file__).parents[1] / "sample_bots" / "python"
    return sorted(found.parent for found in root.glob("*/knockbox.toml"))
