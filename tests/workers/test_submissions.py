"""Submissions in the store: one claim at a time, nothing half done, limits that name themselves."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from workers.store import LimitReached, NameTaken, Store
from workers.store.submissions import Allowance, Claim
from workers.store.uploads import Upload

LEASE = 60_000


def sha(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def upload(text: str = "a", bot: str = "ada-bot", owner: str = "ada") -> Upload:
    return Upload(bot, sha(text), owner)


def claimed(store: Store, submission_id: str) -> Claim:
    claim = store.submissions.claim(submission_id, LEASE)
    assert isinstance(claim, Claim)
    return claim


def accepted(store: Store, one: Upload, version: str) -> str:
    """One that has gone all the way; its id."""
    submission_id, _ = store.submissions.open(one, "archive")
    assert store.submissions.accept(claimed(store, submission_id), {"version": sha(version)})
    return submission_id


def test_from_an_upload_to_a_version_that_plays(store: Store) -> None:
    """Each state is there to be seen; the version plays when it is accepted, and not before."""
    submission_id, new = store.submissions.open(upload(), "archive", file="a.zip")
    assert (new, store.submissions.get(submission_id).state) == (True, "uploaded")
    claim = claimed(store, submission_id)
    assert store.submissions.move(claim, LEASE, "building", lines=["Step 1"])
    assert store.submissions.move(claim, LEASE, "checking", {"version": sha("v")}, ["Step 2"])
    assert store.submissions.lines(submission_id) == ["Step 1", "Step 2"]
    assert store.submissions.get(submission_id).version == sha("v")
    assert store.bots.all() == []
    assert store.submissions.accept(claim, {"version": sha("v"), "without_image": "none"})
    found = store.submissions.get(submission_id)
    assert (found.state, found.without_image) == ("accepted", "none")
    assert store.bots.get("ada-bot").version == sha("v")
    assert [one.id for one in store.submissions.of_bot("ada-bot")] == [submission_id]
    assert store.submissions.claim(submission_id, LEASE) == "over"


def test_the_same_content_is_the_same_submission(store: Store) -> None:
    """While it is open and when it is accepted; once refused, it may be handed in again."""
    first, _ = store.submissions.open(upload(), "archive")
    assert store.submissions.open(upload(), "archive") == (first, False)
    assert store.submissions.open(upload("b"), "archive")[1]
    assert store.submissions.refuse(claimed(store, first), {"code": "E_CHECK", "reason": "no"})
    again, new = store.submissions.open(upload(), "archive")
    assert (new, again != first) == (True, True)
    assert store.submissions.accept(claimed(store, again), {"version": sha("v")})
    assert store.submissions.open(upload(), "archive") == (again, False)


def test_two_at_once_are_one(store: Store) -> None:
    """However many hand in the same at the same time, one submission is opened, and one claimed."""
    with ThreadPoolExecutor(8) as pool:
        opened = [pool.submit(store.submissions.open, upload(), "archive") for _ in range(16)]
        found = [one.result() for one in opened]
        assert len({submission_id for submission_id, _ in found}) == 1
        assert sum(new for _, new in found) == 1
        tried = [pool.submit(store.submissions.claim, found[0][0], LEASE) for _ in range(16)]
        claims = [one.result() for one in tried]
    assert sum(isinstance(one, Claim) for one in claims) == 1
    assert {one for one in claims if isinstance(one, str)} == {"held"}


def test_limits_name_themselves(store: Store) -> None:
    """Open submissions and those of a day are counted by author; others are not touched."""
    few = Allowance(open=2, a_day=3)
    ids = [store.submissions.open(upload(str(n)), "archive", allowance=few)[0] for n in range(2)]
    with pytest.raises(LimitReached, match="the arena's limit KNOCKBOX_SUBMIT_OPEN is reached: 2"):
        store.submissions.open(upload("2"), "archive", allowance=few)
    assert store.submissions.open(upload("x", "b-bot", "bob"), "archive", allowance=few)[1]
    for submission_id in ids:
        store.submissions.refuse(claimed(store, submission_id), {"code": "E_CHECK", "reason": ""})
    assert store.submissions.open(upload("3"), "archive", allowance=few)[1]
    with pytest.raises(LimitReached, match="the arena's limit KNOCKBOX_SUBMIT_DAY is reached: you"):
        store.submissions.open(upload("4"), "archive", allowance=few)


def test_who_has_lost_the_claim_changes_nothing(store: Store) -> None:
    """A claim that ran out is another's; the first one's words and its verdict do not count."""
    submission_id, _ = store.submissions.open(upload(), "archive", resend_ms=0)
    late = store.submissions.claim(submission_id, 0)
    assert isinstance(late, Claim)
    assert store.submissions.due(LEASE) == [submission_id]
    assert store.submissions.due(LEASE) == []
    now = claimed(store, submission_id)
    assert (now.attempts, now.fence > late.fence) == (2, True)
    assert not store.submissions.move(late, LEASE, "checking", lines=["late"])
    assert not store.submissions.accept(late, {"version": sha("late")})
    assert not store.submissions.refuse(late, {"code": "E_CHECK", "reason": "late"})
    assert store.submissions.lines(submission_id) == []
    assert store.submissions.accept(now, {"version": sha("v")})
    assert [bot.version for bot in store.bots.all()] == [sha("v")]


def test_an_attempt_that_is_put_back_begins_again(store: Store) -> None:
    """It is due when its wait is over; one that does not count leaves the number as it was."""
    submission_id, _ = store.submissions.open(upload(), "archive")
    assert store.submissions.put_back(claimed(store, submission_id), 0, counts=False)
    assert store.submissions.due(0) == [submission_id]
    claim = claimed(store, submission_id)
    assert claim.attempts == 1
    assert store.submissions.move(claim, LEASE, "building")
    assert store.submissions.put_back(claim, LEASE, counts=True)
    assert not store.submissions.put_back(claim, LEASE, counts=True)
    assert store.submissions.get(submission_id).state == "uploaded"
    assert claimed(store, submission_id).attempts == 2


def test_a_name_that_was_taken_meanwhile(store: Store) -> None:
    """Accepting says so and registers nothing; the submission can still be refused for it."""
    submission_id, _ = store.submissions.open(upload(), "archive")
    claim = claimed(store, submission_id)
    store.bots.add("ada_bot", sha("other"), "bob")
    with pytest.raises(NameTaken):
        store.submissions.accept(claim, {"version": sha("v")})
    assert store.submissions.refuse(claim, {"code": "E_NAME", "reason": "taken"})
    assert [bot.name for bot in store.bots.all()] == ["ada_bot"]


def test_uploads_make_room_for_each_other(store: Store) -> None:
    """An author has so many; the longest untouched goes first, what is being checked never does."""
    assert store.uploads.begin(upload("a"), 10, 2) == []
    assert store.uploads.begin(upload("b"), 10, 2) == []
    assert store.uploads.begin(upload("x", owner="bob"), 10, 2) == []
    assert store.uploads.begin(upload("a"), 10, 2) == []
    assert store.uploads.begin(upload("c"), 10, 2) == [upload("b")]
    for text in "ac":
        store.submissions.open(upload(text), "archive")
    with pytest.raises(LimitReached, match="KNOCKBOX_SUBMIT_OPEN is reached: 2 of yours"):
        store.uploads.begin(upload("d"), 10, 2)
    assert {one.digest for one in store.uploads.old(0)} == {sha("x")}
    assert store.uploads.size(upload("a")) == 10


def test_an_upload_of_another_size_begins_anew(store: Store) -> None:
    """One digest has one size: what lies there of the other is given up."""
    store.uploads.begin(upload(), 10)
    assert store.uploads.begin(upload(), 11) == [upload()]
    assert store.uploads.size(upload()) == 11


def test_a_bot_knows_its_last_submissions(store: Store) -> None:
    """Twenty are known, newest first; a store's other parts do not depend on the older ones."""
    ids = [accepted(store, upload(str(n)), str(n)) for n in range(22)]
    known = [one.id for one in store.submissions.of_bot("ada-bot")]
    assert known == ids[:1:-1]


def test_what_does_not_hold_any_more_is_replaced_once(store: Store) -> None:
    """Where the image of an accepted one has gone, the same is opened anew, by one of two at once;
    and what becomes of the old one does not touch the new."""
    first = accepted(store, upload(), "v")
    opened = [store.submissions.open(upload(), "archive", instead=first) for _ in range(2)]
    assert [new for _, new in opened] == [True, False]
    assert {submission_id for submission_id, _ in opened} == {opened[0][0]} != {first}
    assert store.submissions.of_content(upload()) == opened[0][0]
