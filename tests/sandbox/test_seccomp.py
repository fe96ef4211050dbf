"""The system calls of bots: the engine's default less what is written down, and nothing else."""

import json

from workers.sandbox.service.seccomp import difference, produce, profile
from workers.sandbox.service.seccomp.profile import default

ALLOW = "SCMP_ACT_ALLOW"


def allowed(of, arch: str) -> dict[str, list]:
    """Each call that is let through without capabilities: its rules' arguments, [] for any."""
    found: dict[str, list] = {}
    for rule in of["syscalls"]:
        wants = rule.get("includes", {})
        if rule["action"] != ALLOW or wants.get("caps"):
            continue
        if wants.get("arches") and arch not in wants["arches"]:
            continue
        if arch in rule.get("excludes", {}).get("arches", ()):
            continue
        for name in rule["names"]:
            found.setdefault(name, []).append(rule.get("args", []))
    return found


def test_the_profile_is_the_default_less_the_difference():
    """On both architectures what is left is what the default allows without capabilities, but for
    the calls that are taken away, and those that are narrowed to some first argument."""
    less = difference()
    for arch in ("amd64", "arm64"):
        was, now = allowed(default(), arch), allowed(profile(), arch)
        assert now.keys() == was.keys() - less.taken
        for name in now.keys() - less.narrowed.keys():
            assert now[name] == was[name]
        for name, values in less.narrowed.items():
            assert [
                [(arg["index"], arg["value"], arg["op"]) for arg in args] for args in now[name]
            ] == [[(0, value, "SCMP_CMP_EQ")] for value in values]


def test_everything_else_is_refused():
    """What no rule names is refused; only two architectures are known, none of 32 bits."""
    made = profile()
    assert made["defaultAction"] == "SCMP_ACT_ERRNO"
    assert made["archMap"] == [
        {"architecture": name, "subArchitectures": []}
        for name in ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")
    ]
    assert {rule["action"] for rule in made["syscalls"]} == {ALLOW, "SCMP_ACT_ERRNO"}
    refused = [rule for rule in made["syscalls"] if rule["action"] != ALLOW]
    assert refused == [{"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]
    assert "CAP_" not in json.dumps(made)


def test_what_is_taken_is_in_the_default():
    """Each call that is written down as taken away is one that the default allows somewhere."""
    named = {name for rule in default()["syscalls"] for name in rule["names"]}
    assert difference().taken <= named
    assert difference().narrowed.keys() <= named


def test_taking_nothing_away_leaves_the_default():
    """With an empty difference the default's rules without capabilities come out."""
    less = difference()._replace(taken=frozenset(), narrowed={})
    for arch in ("amd64", "arm64"):
        assert allowed(produce(default(), less), arch) == allowed(default(), arch)
