"""`knockbox new LANG NAME`: a bot that plays, in a folder of its own, to begin with."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import CommandError, usage
from arena.cli.options import Json

if TYPE_CHECKING:
    from arena.cli.templates import Template


def new(
    language: Annotated[str, Parameter(help="The language; --list has all.")] = "",
    name: Annotated[str, Parameter(help="The bot's name, and its folder's.")] = "",
    /,
    *,
    into: Annotated[Path, Parameter(help="Where the folder is made.")] = Path(),
    list_: Annotated[
        bool, Parameter(name="--list", negative="", help="Show the languages, make nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a folder with a bot that plays: all that it takes, to be changed.

    It has the manifest, the bot, its test, the SDK, a Dockerfile and a page that explains them. The
    bot takes what lowers its deadwood and knocks as soon as it may.

    Example: knockbox new python my-bot
    """
    from arena.cli import templates
    from workers.names import complaint

    known = templates.languages()
    if list_ or not language:
        if not list_:
            raise usage(
                f"name a language and your bot: knockbox new {min(known)} my-bot; {_of(known)}"
            )
        _list(known, json)
        return
    if language not in known:
        raise usage(f"{language[:40]!r} is no language here; {_of(known)}")
    if why := complaint(name):
        told = f"{name[:40]!r} is no bot's name: {why}" if name else "name your bot"
        raise usage(f"{told}; like knockbox new {language} my-bot")
    folder = into / name
    try:
        templates.copy(known[language], name, folder)
    except FileExistsError:
        raise CommandError(f"{folder} is there already: take another name, or --into") from None
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from None
    if json:
        output.as_json({"name": name, "language": language, "folder": str(folder)})
        return
    output.data(str(folder))
    shown = shlex.quote(str(folder))
    output.note(f"a bot in {known[language].title}; {folder / 'README.md'} explains it")
    output.next_step(f"knockbox check {shown}", "plays it as an arena would, and tells its faults")
    output.next_step(f"knockbox match {shown} {shown}", "plays it against itself")


def _of(known: "dict[str, Template]") -> str:
    return f"the languages: {', '.join(known)}"


def _list(known: "dict[str, Template]", json: bool) -> None:
    if json:
        output.as_json([{"language": word, "title": one.title} for word, one in known.items()])
        return
    output.table(("language", ""), [(word, one.title) for word, one in known.items()], left=2)
    output.next_step("knockbox new LANGUAGE NAME", "makes a bot")
