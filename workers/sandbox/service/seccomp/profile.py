"""Takes away from the engine's default profile what bots need not do. Pure but for two files."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

_HERE = Path(__file__).parent
_FIRST_IS = "SCMP_CMP_EQ"

Profile = dict[str, Any]


class Difference(NamedTuple):
    """What is taken away. `architectures` and `names` stay (as seccomp and as rules name them);
    `taken` are calls that go; `narrowed` calls whose first argument must be one of these."""

    architectures: frozenset[str]
    names: frozenset[str]
    taken: frozenset[str]
    narrowed: dict[str, tuple[int, ...]]


def default() -> Profile:
    """The engine's own profile, as data."""
    return json.loads((_HERE / "default.json").read_text())


def difference() -> Difference:
    """What taken.toml says."""
    told = tomllib.loads((_HERE / "taken.toml").read_text())
    return Difference(
        frozenset(told["architectures"]["keep"]),
        frozenset(told["architectures"]["names"]),
        frozenset(call for group in told["taken"] for call in group["calls"]),
        {one["call"]: tuple(one["values"]) for one in told["narrowed"]},
    )


def profile() -> Profile:
    """What bots run under."""
    return produce(default(), difference())


def produce(base: Profile, less: Difference) -> Profile:
    """A profile that allows what `base` does without capabilities, less the difference."""
    made = copy.deepcopy(base)
    made["archMap"] = [
        {"architecture": one["architecture"], "subArchitectures": []}
        for one in base["archMap"]
        if one["architecture"] in less.architectures
    ]
    rules = [_without(rule, less) for rule in made["syscalls"]]
    made["syscalls"] = [rule for rule in rules if rule is not None]
    made["syscalls"] += [
        {"names": [call], "action": "SCMP_ACT_ALLOW", "args": [_first_is(value)]}
        for call, values in sorted(less.narrowed.items())
        for value in values
    ]
    return made


def _without(rule: dict[str, Any], less: Difference) -> dict[str, Any] | None:
    """A rule of the default with what is left of it; None where nothing is."""
    wants = rule.get("includes", {})
    arches = wants.get("arches")
    if wants.get("caps") or (arches and less.names.isdisjoint(arches)):
        return None
    names = [name for name in rule["names"] if name not in less.taken and name not in less.narrowed]
    if not names:
        return None
    # What is excluded for who has a capability holds for who has none.
    excludes = {key: value for key, value in rule.get("excludes", {}).items() if key != "caps"}
    kept = {key: value for key, value in rule.items() if key not in ("names", "excludes")}
    return {**kept, "names": names, **({"excludes": excludes} if excludes else {})}


def _first_is(value: int) -> dict[str, Any]:
    return {"index": 0, "value": value, "op": _FIRST_IS}
