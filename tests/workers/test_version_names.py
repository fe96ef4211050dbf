"""Authors' names of versions: each stands for one content for good, and each content has one."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workers.test_submissions import claimed, sha, upload
from workers.store import Client, Store, VersionTaken
from workers.store.uploads import Upload

TAG = Upload("ada-bot", "reg/a:1", "ada")
OTHER_TAG = Upload("ada-bot", "reg/other:9", "ada")
OTHER_CONTENT = r"E_EXISTS: ada-bot has a version '{}' with other content"
THERE = r"E_EXISTS: this is the version '{}' of ada-bot already"


def opened(store: Store, one: Upload, name: str, instead: str = "") -> str:
    """Hand it in under a name; the submission's id."""
    kind = "archive" if one.digest.startswith("sha256:") else "reference"
    return store.submissions.open(one, kind, version_name=name, instead=instead)[0]


def accepted(store: Store, submission_id: str, version: str) -> str:
    """Let it be a version; its id."""
    claim = claimed(store, submission_id)
    assert store.submissions.accept(claim, {"version": sha(version)})
    return submission_id


def refused(store: Store, submission_id: str, *, arena_at_fault: bool = False) -> None:
    fields = {"code": "E_ARENA", "reason": "no", "arena_at_fault": arena_at_fault}
    assert store.submissions.refuse(claimed(store, submission_id), fields)


def test_other_content_is_refused(store: Store) -> None:
    """Other content under a name that is taken is E_EXISTS; a refusal gives the name back."""
    first = opened(store, upload(), "1.0")
    with pytest.raises(VersionTaken, match=OTHER_CONTENT.format("1.0")):
        opened(store, upload("b"), "1.0")
    assert opened(store, upload(), "1.0") == first
    refused(store, first)
    assert opened(store, upload("b"), "1.0") != first


def test_content_that_is_there_is_refused_under_another_name(store: Store) -> None:
    """It is told which version it is, open or accepted, and the other name stays as it was."""
    first = opened(store, upload("a"), "1.0")
    with pytest.raises(VersionTaken, match=THERE.format("1.0")):
        opened(store, upload("a"), "3.0")
    accepted(store, first, "a")
    accepted(store, opened(store, upload("b"), "2.0"), "b")
    with pytest.raises(VersionTaken, match=OTHER_CONTENT.format("2.0")):
        opened(store, upload("a"), "2.0")
    with pytest.raises(VersionTaken, match=THERE.format("1.0")):
        opened(store, upload("a"), "3.0")
    assert opened(store, upload("a"), "1.0") == opened(store, upload("a"), "") == first
    accepted(store, opened(store, upload("c"), "3.0"), "c")


@pytest.mark.parametrize("settled", [False, True])
def test_content_without_a_name_gets_the_first_one(store: Store, settled: bool) -> None:
    """Whether it is accepted by then or not, the name it comes with next stands for it for good."""
    first = opened(store, upload(), "")
    if settled:
        accepted(store, first, "a")
    assert opened(store, upload(), "1.0") == first
    assert store.submissions.get(first).version_name == "1.0"
    if not settled:
        accepted(store, first, "a")
    for one, name in [(upload("b"), "1.0"), (upload(), "2.0")]:
        with pytest.raises(VersionTaken):
            opened(store, one, name)
    accepted(store, opened(store, upload(), "1.0", instead=first), "a")


def test_a_name_that_came_late_is_free_after_a_refusal(store: Store) -> None:
    """A submission that is given up leaves no name behind, whenever it was given."""
    first = opened(store, upload(), "")
    assert opened(store, upload(), "1.0") == first
    refused(store, first, arena_at_fault=True)
    accepted(store, opened(store, upload("b"), "1.0"), "b")


def test_a_tag_that_moved_is_other_content(store: Store) -> None:
    """What it names now is refused under the old name, when it is known, and nothing is changed."""
    first = accepted(store, opened(store, TAG, "1.0"), "a")
    claim = claimed(store, opened(store, TAG, "1.0", instead=first))
    with pytest.raises(VersionTaken, match=OTHER_CONTENT.format("1.0")):
        store.submissions.judge(claim, sha("b"))
    with pytest.raises(VersionTaken, match=OTHER_CONTENT.format("1.0")):
        store.submissions.accept(claim, {"version": sha("b")})
    assert store.bots.get("ada-bot").versions == (sha("a"),)
    assert store.submissions.get(claim.submission.id).state == "uploaded"
    assert store.submissions.refuse(claim, {"code": "E_EXISTS", "reason": "moved"})
    again = opened(store, TAG, "2.0", instead=first)
    accepted(store, again, "b")
    accepted(store, opened(store, TAG, "1.0", instead=again), "a")


def test_a_refusal_removes_no_name_of_a_version(store: Store) -> None:
    """Who comes again under the name of an accepted version and is refused does not free it."""
    first = accepted(store, opened(store, TAG, "1.0"), "a")
    refused(store, opened(store, TAG, "1.0", instead=first), arena_at_fault=True)
    other = claimed(store, opened(store, OTHER_TAG, "1.0"))
    with pytest.raises(VersionTaken, match=OTHER_CONTENT.format("1.0")):
        store.submissions.accept(other, {"version": sha("b")})
    assert store.submissions.refuse(other, {"code": "E_EXISTS", "reason": "other"})
    with pytest.raises(VersionTaken):
        opened(store, upload("c"), "1.0")


def test_an_archive_made_anew_in_vain_is_still_its_version(store: Store) -> None:
    """Where an accepted one comes again and is refused, its own name is open to it as before."""
    first = accepted(store, opened(store, upload(), "1.0"), "a")
    anew = opened(store, upload(), "", instead=first)
    assert opened(store, upload(), "1.0") == anew
    with pytest.raises(VersionTaken, match=THERE.format("1.0")):
        opened(store, upload(), "2.0")
    refused(store, anew, arena_at_fault=True)
    assert store.submissions.of_content(upload()) == first
    accepted(store, opened(store, upload(), "1.0", instead=first), "a")


def test_the_same_packed_twice_has_one_name(store: Store) -> None:
    """Two archives of one folder are one content: the second name is refused, and free again."""
    first, second = opened(store, upload("zip"), "1.0"), opened(store, upload("tar"), "2.0")
    accepted(store, first, "a")
    claim = claimed(store, second)
    with pytest.raises(VersionTaken, match=THERE.format("1.0")):
        store.submissions.accept(claim, {"version": sha("a")})
    assert store.submissions.refuse(claim, {"code": "E_EXISTS", "reason": "there"})
    accepted(store, opened(store, upload("c"), "2.0"), "c")


@pytest.mark.parametrize("source", ["sha256:{}", "reg/a:{}"])
def test_of_many_at_once_one_gets_the_name(store: Store, source: str) -> None:
    """However many contents come under one name at the same time, one is opened."""

    def tried(number: int) -> str:
        try:
            return opened(store, Upload("ada-bot", source.format(number), "ada"), "1.0")
        except VersionTaken:
            return ""

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tried, range(16)))
    assert [one for one in found if one] == ["s00001"]


class Step(NamedTuple):
    """`source` comes as `name`; or one of the open ones comes to a `version`, None: is refused."""

    comes: bool
    source: Upload
    name: str
    which: int
    version: str | None


PACKED = {upload("zip"): sha("a"), upload("tar"): sha("a"), upload("b"): sha("b")}
"""Archives, and the version that each one always is; two are of one folder."""
STEPS = st.lists(
    st.builds(
        Step,
        st.booleans(),
        st.sampled_from([TAG, OTHER_TAG, *PACKED]),
        st.sampled_from(["", "1.0", "2.0"]),
        st.integers(0, 9),
        st.sampled_from([None, sha("a"), sha("b")]),
    ),
    max_size=25,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_name_never_stands_for_two_contents(
    store: Store, client: Client, steps: list[Step]
) -> None:
    """In no order of submissions, refusals and tags that move; nor has a content two names, and
    what stands for nothing is free in the end."""
    client.flushall()  # pyright: ignore[reportAttributeAccessIssue]
    ids: list[str] = []
    stands: dict[str, str] = {}

    def settle(submission_id: str, version: str | None) -> None:
        claim = claimed(store, submission_id)
        with contextlib.suppress(VersionTaken):
            known = PACKED.get(claim.submission.upload, version)
            if version and store.submissions.accept(claim, {"version": known}):
                return
        assert store.submissions.refuse(claim, {"code": "E_EXISTS", "reason": "no"})

    def open_ones() -> list[str]:
        return [one for one in ids if store.submissions.get(one).state == "uploaded"]

    for step in steps:
        if step.comes:
            before = store.submissions.of_content(step.source)
            anew = bool(before) and store.submissions.get(before).state == "accepted"
            with contextlib.suppress(VersionTaken):
                found = opened(store, step.source, step.name, before if anew else "")
                ids += [found] * (found not in ids)
        elif there := open_ones():
            settle(there[step.which % len(there)], step.version)
        for one in map(store.submissions.get, ids):
            if one.state == "accepted" and one.version_name:
                assert stands.setdefault(one.version_name, one.version) == one.version
        assert len(set(stands.values())) == len(stands)
    for submission_id in open_ones():
        settle(submission_id, None)
    for name in ("1.0", "2.0"):
        with pytest.raises(VersionTaken) if name in stands else contextlib.nullcontext():
            opened(store, upload(f"for {name}"), name)
