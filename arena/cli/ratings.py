"""`knockbox ratings`: the list, and the proof that the log adds up to it."""

from pathlib import Path
from typing import Annotated

from cyclopts import App

from arena.cli import options, output, reach
from arena.cli.errors import CommandError, unreachable
from arena.cli.options import Data, Json, flag
from arena.cli.words import fit, many, room, short

app = App(name="ratings")


@app.default
def list_(*, data: Data = None, json: Json = False) -> None:
    """Elo of all bots, best first.

    Example: knockbox ratings --json
    """
    from arena.cli import shapes, standings
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.ListRatings(pb.ListRatingsRequest()).ratings
    if json:
        output.as_json([shapes.rating(one) for one in found])
        return
    if not found:
        output.note("no ratings yet")
        reach.organisers_step("knockbox tournament create --watch", "plays all bots")
        return
    rows = [
        (
            str(place),
            one.bot,
            short(one.version),
            f"{one.milli_elo / 1000:.0f}",
            str(one.units),
            *standings.rating_cells(one),
        )
        for place, one in enumerate(found, 1)
    ]
    headers = ("", "bot", "version", "Elo", "units", "rating", "95 % range")
    output.table(*fit(headers, rows, ("version", "95 % range", "rating"), room(), left=3))
    reach.organisers_step("knockbox ratings rebuild --check", "proves them from the log")


@app.command
def rebuild(
    *,
    check: Annotated[bool, flag("Compare only; exit code 1 where a number differs.")] = False,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write the ratings that follow from the log.

    Every entry is followed, from the first.

    With --check nothing is written: chain, formula and every number of every rating are compared.

    Example: knockbox ratings rebuild --check
    """
    from workers import rebuild as rebuilding
    from workers.store import DOWN, StoreError, open_store

    url = _store_url(data)
    try:
        store = open_store(url, patient=False)
        try:
            report = rebuilding.check(store) if check else rebuilding.rebuild(store)
        finally:
            store.close()
    except DOWN as error:
        raise unreachable(f"the store does not answer: {error}") from None
    except StoreError as error:
        raise CommandError(str(error)) from None
    if json:
        output.as_json(
            {
                "ok": not report.difference,
                "entries": report.entries,
                "ratings": report.ratings,
                "head": report.head,
                "difference": report.difference or None,
            }
        )
    if report.difference:
        raise CommandError(f"the ratings do not follow from the log: {report.difference}")
    if not json:
        several = report.ratings != 1
        did = f"{'are' if several else 'is'} what"
        if not check:
            did = f"{'were' if several else 'was'} written as"
        entries = f"the log's {many(report.entries, 'entry')}"
        says = "says" if report.entries == 1 else "say"
        output.data(f"{many(report.ratings, 'rating')} {did} {entries} {says}")
        output.note(f"head of the log: {report.head or '(no entry yet)'}")
        output.next_step("knockbox ratings", "shows them")


def _store_url(data: Path | None) -> str:
    """The store of a running arena, else REDIS_URL."""
    from arena.local import state

    settings = options.settings(data)
    if found := state.read(settings.data):
        return found.redis_url
    if settings.redis_url:
        return settings.redis_url
    raise unreachable(f"no arena runs for {settings.data}: run `knockbox up`")
