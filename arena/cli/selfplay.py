"""`knockbox rules selfplay`: how a ruleset plays out, in this process, by built-in policies."""

import time
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import usage
from arena.cli.options import Json, number
from arena.cli.rulesets import Rules, named

if TYPE_CHECKING:
    from referee.rules.ruleset import Ruleset
    from referee.selfplay import Mix

MOST = 10_000_000


def selfplay(
    *,
    rules: Rules = "danish",
    deals: Annotated[int | None, number("So many deals that belong to no game; else 1000.")] = None,
    games: Annotated[int | None, number("So many whole games instead.")] = None,
    policies: Annotated[
        tuple[str, ...],
        Parameter(
            name="--policies",
            consume_multiple=True,
            negative="",
            help="greedy or random, by seat; fewer than seats go round.",
        ),
    ] = ("greedy",),
    seed: Annotated[str, Parameter(help="The cards and the chance follow from it.")] = "selfplay",
    json: Json = False,
) -> None:
    """Play deals or games in this process, and print the mix of outcomes.

    The same seed gives the same mix. How fast it went is told on stderr, and in the JSON.

    Example: knockbox rules selfplay --rules german --games 100
    """
    import random

    from arena.cli.rulesets import ruleset
    from referee import selfplay as play
    from referee.deck import Decks, seed_secret

    resolved = ruleset(rules)
    names = tuple(name for words in policies for name in words.split(",") if name)
    for name in names:
        if name not in play.POLICIES:
            raise usage(f"--policies: {name!r} is none of {', '.join(play.POLICIES)}")
    if not 1 <= len(names) <= resolved.players:
        raise usage(f"--policies: {len(names)} for {resolved.players} seats")
    count = _count(deals, games)
    seats = [play.POLICIES[names[seat % len(names)]] for seat in range(resolved.players)]
    decks = Decks(seed_secret(seed), (), resolved)
    chance = random.Random(seed).randrange  # noqa: S311 - a policy's whims; no card comes from it
    began = time.perf_counter()
    played = (play.deals if games is None else play.games)(resolved, decks, count, seats, chance)
    elapsed = time.perf_counter() - began
    rates = {
        "deals": round(played.deals / elapsed),
        "decisions": round(played.decisions / elapsed),
    }
    if json:
        asked = {"rules": resolved.preset, "policies": list(names), "seed": seed}
        output.as_json({**asked, **play.to_json(played), "per_second": rates})
        return
    _show(played, resolved)
    output.note(
        f"{', '.join(names)}, rules: {named(resolved)}, seed {output.printable(seed)!r}: "
        f"{rates['deals']:,} deals and {rates['decisions']:,} decisions a second"
    )
    output.next_step("knockbox match BOT_A BOT_B --rules RULES", "plays them with bots")


def _count(deals: int | None, games: int | None) -> int:
    if deals is not None and games is not None:
        raise usage("--deals and --games: one of the two")
    count = 1000 if deals is None and games is None else games if deals is None else deals
    assert count is not None
    if not 1 <= count <= MOST:
        raise usage(f"{count} of them: 1 to {MOST:,}")
    return count


def _show(mix: "Mix", rules: "Ruleset") -> None:
    from referee.selfplay import shares

    rows = [(end, f"{count:,}", f"{100 * share:.2f}") for end, count, share in shares(mix)]
    output.table(("end", "deals", "share %"), rows)
    output.data()
    sides: list[Any] = [
        (
            " ".join(str(seat) for seat in rules.sides[side]),
            f"{mix.won[side]:,}",
            f"{mix.points[side] / mix.deals:.2f}",
            *((f"{mix.games_won[side]:,}",) if mix.games else ()),
        )
        for side in range(len(rules.sides))
    ]
    heads = ("seat" if len(rules.sides) == rules.players else "seats", "deals won", "points/deal")
    output.table((*heads, "games won") if mix.games else heads, sides)
    output.data()
    output.data(
        f"{mix.turns / mix.deals:.1f} turns and {mix.decisions / mix.deals:.1f} decisions a deal"
    )
    if mix.games:
        reasons = ", ".join(f"{count:,} {word}" for word, count in sorted(mix.reasons.items()))
        output.data(
            f"{mix.games:,} games of {mix.deals / mix.games:.1f} deals: {reasons}, "
            f"{mix.games_drawn:,} drawn"
        )
