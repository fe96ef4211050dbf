"""What the bots of a match printed, kept beside its replay: `<replay without .kbr>.logs/`."""

from pathlib import Path

from arena.local.played import Played


def keep(played: Played) -> Path | None:
    """Write a file for each leg in which a bot printed something; the folder, None for no file.

    What an earlier match of the same name left there goes. Raises OSError.
    """
    folder = played.replay.with_name(f"{played.replay.stem}.logs")
    for old in folder.glob("leg*.log"):
        old.unlink()
    said = [(log, text) for log in played.printed if (text := log.output.text())]
    if not said:
        return None
    folder.mkdir(exist_ok=True)
    for log, text in said:
        name = played.bots[log.bot].shown.replace(" (", "-").replace(")", "")
        (folder / f"leg{log.leg}-{name}.log").write_text(text)
    return folder
