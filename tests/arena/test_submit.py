"""`knockbox submit` over TLS: what is sent, what becomes of it, what is refused with which word."""

import asyncio
import hashlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.cli import sending, watching
from arena.cli.parcel import packed
from arena.cli.submit import _followed as followed
from knockbox.v1 import submissions_pb2 as sub
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from tests.arena.network_kit import FAST, Ask, Door, refused, until
from tests.arena.submit_kit import FAILS, bot, parts, sha
from workers.check.rows import Row, Verdict
from workers.examine import Candidate, Examiner
from workers.folders import Folders
from workers.store.submissions import Claim
from workers.store.uploads import Upload

Server = tuple["subprocess.Popen[bytes]", str]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"


def sent(stub: ArenaServiceStub, data: bytes, name: str = "slip") -> sub.Submission:
    """Send it all and hand it in."""
    stub.BeginUpload(sub.BeginUploadRequest(bot=name, digest=sha(data), size=len(data)))
    stub.SendUpload(parts(name, data))
    return handed_in(stub, data, name)


def handed_in(stub: ArenaServiceStub, data: bytes, name: str = "slip") -> sub.Submission:
    """Hand in what was sent."""
    request = sub.CreateSubmissionRequest(bot=name, upload=sha(data), file="s.tar.gz")
    return stub.CreateSubmission(request).submission


def as_sent(folder: Path) -> bytes:
    """The bytes that `submit` sends for a folder."""
    with packed(str(folder), "", "arena", images=False) as parcel:
        assert parcel.file
        parcel.file.seek(0)
        return parcel.file.read()


def test_a_bot_is_submitted_and_plays(door: Door, ask: Ask, ada: str, tmp_path: Path) -> None:
    """Each state is told as it comes; what is accepted plays, and nothing of it is left to keep."""
    folder = bot(tmp_path / "slip")
    code, out, said = ask(ada, "submit", folder)
    assert code == 0, said
    version = door.store.bots.get("slip").version
    assert out == f"slip {version}\n"
    for words in ("sending slip.tar.gz", "s00001: accepted", "PASS start: it is there"):
        assert words in said
    assert "without an image: it has no Dockerfile" in said
    assert list(Folders(door.data).uploads.iterdir()) == []
    assert Folders(door.data).snapshot(version).joinpath("b.py").exists()
    code, out, said = ask(ada, "submit", folder, "--json")
    told = json.loads(out)
    assert (told["submission_id"], told["state"], told["version"]) == (
        "s00001",
        "accepted",
        version,
    )
    assert "sending" not in said  # the same is there already


def test_what_happens_is_told_below_its_state(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Whatever an answer tells at once, a state comes before its lines and behind those before."""
    row = sub.CheckRow(name="start", verdict=sub.CHECK_VERDICT_PASS)

    def answer(state: str, lines: tuple[str, ...] = (), rows: int = 0) -> Any:
        now = sub.SubmissionState.Value(f"SUBMISSION_STATE_{state}")
        one = sub.Submission(submission_id="s1", state=now, checks=[row] * rows)
        return sub.WatchSubmissionResponse(submission=one, lines=lines)

    answers = [
        answer("UPLOADED"),
        answer("BUILDING", ("Step 1/2",)),
        answer("CHECKING", ("Step 2/2",)),
        answer("CHECKING", rows=1),
        answer("ACCEPTED", rows=2),
    ]
    monkeypatch.setattr(watching, "follow", lambda *_: iter(answers))
    assert followed(sub.Submission(submission_id="s1"), tmp_path) == answers[-1].submission
    assert capsys.readouterr().err.splitlines() == [
        "s1: uploaded",
        "s1: building",
        "  Step 1/2",
        "  Step 2/2",
        "s1: checking",
        "  PASS start",
        "  PASS start",
        "s1: accepted",
    ]


def test_a_bot_at_fault_is_refused_and_the_version_before_plays_on(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """Exit code 3; the row that failed, what is to be done, the bot's last lines, all escaped."""
    assert ask(ada, "submit", bot(tmp_path / "slip"))[0] == 0
    before = door.store.bots.get("slip").version
    door.rows = [*door.rows, FAILS]
    code, out, said = ask(ada, "submit", bot(tmp_path / "slip", program="x\n"))
    assert (code, out) == (3, "")
    assert (
        "error: E_CHECK: answers: it left out \N{REPLACEMENT CHARACTER}[2Jhalf; answer all" in said
    )
    assert "  | boom \N{REPLACEMENT CHARACTER}]8" in said
    assert "\x1b" not in said
    assert door.store.bots.get("slip").version == before
    shown = json.loads(ask(ada, "bot", "show", "slip", "--json")[1])
    assert [one["state"] for one in shown["submissions"]] == ["refused", "accepted"]
    assert shown["submissions"][0]["checks"][1]["verdict"] == "FAIL"
    page = ask(ada, "bot", "show", "slip")[1]
    assert "s00002 was refused: E_CHECK: answers: " in page
    assert "FAIL answers: it left out" in page


def test_a_bot_that_was_never_accepted_is_its_owners_to_see(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """`bot show` tells the owner what became of it, and others that there is no such bot."""
    door.rows = [FAILS]
    assert ask(ada, "submit", bot(tmp_path / "slip"))[0] == 3
    code, out, _ = ask(ada, "bot", "show", "slip")
    assert (code, "no version of it was accepted yet" in out, "E_CHECK" in out) == (0, True, True)
    bob = door.store.tokens.create("bob", "author")[1]
    assert ask(bob, "bot", "show", "slip")[::2] == (1, "error: no bot 'slip'\n")
    boss = door.store.tokens.create("boss", "organiser")[1]
    assert ask(boss, "bot", "show", "slip")[0] == 0
    assert ask(bob, "submit", bot(tmp_path / "slip"))[0] == 3  # nobody's until it is accepted


def test_whose_name_it_is_is_looked_at_before_anything_is_sent(
    door: Door, ask: Ask, ada: str, tmp_path: Path, stub: ArenaServiceStub
) -> None:
    """Another author's bot, and a name that looks like one, are refused at the first call."""
    bob = door.store.tokens.create("bob", "author")[1]
    assert ask(bob, "submit", bot(tmp_path / "slip"))[0] == 0
    code, _, said = ask(ada, "submit", bot(tmp_path / "mine"))
    assert (code, said) == (1, "error: E_NAME: the name 'slip' is taken\n")
    code, _, said = ask(ada, "submit", bot(tmp_path / "mine", "s1ip"))
    assert (code, said) == (1, "error: E_NAME: the name 's1ip' looks like 'slip', which exists\n")
    request = sub.BeginUploadRequest(bot="slip", digest=sha(b"x"), size=1)
    assert refused(lambda: stub.BeginUpload(request))[0] is grpc.StatusCode.ALREADY_EXISTS


def test_two_at_once_are_one(door: Door, ask: Ask, ada: str, tmp_path: Path) -> None:
    """Both get the same answer, and one version is there; both may send at the same time."""
    data = as_sent(bot(tmp_path / "slip"))
    with ThreadPoolExecutor(4) as pool, door.channel(ada) as channel:
        stub = ArenaServiceStub(channel)

        def both(_: int) -> str:
            try:
                submission = sent(stub, data)
            except grpc.RpcError as error:  # one of the others may have been accepted meanwhile
                assert error.code() is grpc.StatusCode.NOT_FOUND, error
                submission = handed_in(stub, data)
            watch = sub.WatchSubmissionRequest(submission_id=submission.submission_id)
            last = list(stub.WatchSubmission(watch))[-1].submission
            return f"{last.submission_id} {last.state} {last.version}"

        answers = set(pool.map(both, range(4)))
    version = door.store.bots.get("slip").version
    assert answers == {f"s00001 {sub.SUBMISSION_STATE_ACCEPTED} {version}"}
    assert len(door.store.bots.get("slip").versions) == 1


def test_what_is_accepted_while_it_is_sent_is_the_same_submission(
    door: Door,
    ask: Ask,
    ada: str,
    stub: ArenaServiceStub,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Somebody who sends what is accepted from elsewhere meanwhile gets that answer, and leaves
    nothing."""
    folder = bot(tmp_path / "slip")
    data = as_sent(folder)
    rest = sending._parts  # pyright: ignore[reportPrivateUsage]

    def meanwhile(*sends: Any) -> Iterator[sub.SendUploadRequest]:
        watch = sub.WatchSubmissionRequest(submission_id=sent(stub, data).submission_id)
        assert [*stub.WatchSubmission(watch)]
        yield from rest(*sends)

    monkeypatch.setattr(sending, "_parts", meanwhile)
    code, out, said = ask(ada, "submit", folder)
    assert (code, out) == (0, f"slip {door.store.bots.get('slip').version}\n"), said
    assert "s00001: accepted" in said
    assert list(Folders(door.data).uploads.iterdir()) == []


def test_a_version_that_is_named_is_there_once(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """The same name for other content is E_EXISTS; for the same content it is the same answer."""
    folder = bot(tmp_path / "slip")
    assert ask(ada, "submit", folder, "--version-name", "1.0")[0] == 0
    assert ask(ada, "submit", folder, "--version-name", "1.0")[0] == 0
    code, _, said = ask(ada, "submit", bot(folder, program="x\n"), "--version-name", "1.0")
    assert code == 1
    assert said.splitlines()[-1] == (
        "error: E_EXISTS: slip has a version '1.0' with other content; name this one differently"
    )
    code, _, said = ask(ada, "submit", folder, "--version-name", "a b")
    assert (code, "version_name: 1 to 32 letters" in said) == (2, True)


def test_content_that_is_there_comes_under_no_other_name(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """A name of another version and a new one are E_EXISTS, what plays plays on, and the new name
    is free for what has none."""
    folder, names = tmp_path / "slip", "--version-name"
    for program, name in [("a\n", "1.0"), ("b\n", "2.0")]:
        assert ask(ada, "submit", bot(folder, program=program), names, name)[0] == 0
    plays = door.store.bots.get("slip").version
    code, _, said = ask(ada, "submit", bot(folder, program="a\n"), names, "2.0")
    assert (code, "E_EXISTS: slip has a version '2.0' with other content" in said) == (1, True)
    code, _, said = ask(ada, "submit", folder, names, "3.0")
    assert (code, "E_EXISTS: this is the version '1.0' of slip already" in said) == (1, True)
    assert door.store.bots.get("slip").version == plays
    assert ask(ada, "submit", bot(folder, program="c\n"))[0] == 0
    code, out, _ = ask(ada, "submit", folder, names, "3.0", "--json")
    assert (code, json.loads(out)["version_name"]) == (0, "3.0")
    assert ask(ada, "submit", bot(folder, program="a\n"), names, "1.0")[0] == 0
    assert door.store.bots.get("slip").version != plays


def test_content_that_proves_to_be_there_is_not_checked(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """The same files in another archive are known when they are unpacked: E_EXISTS, exit code 1,
    nothing of it is left, and its name is free."""
    folder = bot(tmp_path / "slip")
    assert ask(ada, "submit", folder, "--version-name", "1.0")[0] == 0
    archive = shutil.make_archive(str(tmp_path / "other"), "zip", folder)
    code, _, said = ask(ada, "submit", archive, "--version-name", "2.0")
    assert code == 1
    assert "error: E_EXISTS: this is the version '1.0' of slip already; submit it under" in said
    assert door.store.submissions.get("s00002").checks == ()
    assert list(Folders(door.data).uploads.iterdir()) == []
    assert ask(ada, "submit", bot(folder, program="b\n"), "--version-name", "2.0")[0] == 0


def test_a_version_that_was_replaced_plays_again(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """Submitting an old version makes it the one that plays, with no second check."""
    folder = bot(tmp_path / "slip")
    assert ask(ada, "submit", folder)[0] == 0
    first = door.store.bots.get("slip").version
    assert ask(ada, "submit", bot(folder, program="x\n"))[0] == 0
    assert door.store.bots.get("slip").version != first
    assert ask(ada, "submit", bot(folder))[0] == 0
    assert door.store.bots.get("slip").version == first
    assert len(door.done) == 2


def test_limits_name_themselves(
    door: Door, ask: Ask, ada: str, tmp_path: Path, stub: ArenaServiceStub
) -> None:
    """Size, open submissions and those of a day: the setting is named, and what was found."""
    big = bot(tmp_path / "big")
    (big / "data").write_bytes(
        b"".join(hashlib.sha256(bytes([n % 256, n >> 8])).digest() for n in range(1 << 16))
    )
    code, _, said = ask(ada, "submit", big)
    assert code == 1
    assert "the arena takes 1 MiB at most (its KNOCKBOX_SUBMIT_MB), and this has 2.0 MiB" in said
    door.released.clear()
    for number in range(2):
        sent(stub, bytes([number]) * 20)
    for future in door.done:  # what is no archive is refused before its check
        assert future.result() == "refused"
    for number in range(2, 4):
        sent(stub, as_sent(bot(tmp_path / "slip", program=f"{number}\n")))
    code, _, said = ask(ada, "submit", bot(tmp_path / "more", program="more\n"))
    assert code == 1
    assert "the arena's limit KNOCKBOX_SUBMIT_OPEN is reached: 2 of yours" in said
    door.released.set()
    for future in door.done:
        future.result()
    for number in range(4):
        assert ask(ada, "submit", bot(tmp_path / "more", program=f"more {number}\n"))[0] == 0
    code, _, said = ask(ada, "submit", bot(tmp_path / "more", program="more 5\n"))
    assert (code, "KNOCKBOX_SUBMIT_DAY is reached: you have submitted 8" in said) == (1, True), said


def test_ctrl_c_leaves_it_running(
    door: Door, ada: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Whoever stops following is told where to look; the submission is settled all the same."""
    door.released.clear()
    variables = {
        "KNOCKBOX_ARENA": door.address,
        "KNOCKBOX_TOKEN": ada,
        "KNOCKBOX_TLS_FINGERPRINT": door.certificate.fingerprint,
    }
    command = [sys.executable, "-m", "arena.cli", "submit", str(bot(tmp_path / "slip"))]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**environment, **variables}
    ) as process:
        assert process.stderr
        while "checking" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "s00001 goes on by itself\nnext: knockbox bot show slip" in said
    door.released.set()
    assert door.done[0].result() == "accepted"


def test_what_the_arena_fails_at_is_not_the_bots_fault(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """After some attempts it is refused so, with exit code 1, and the same may come again."""
    door.fails = "no referee answers"
    folder = bot(tmp_path / "slip")
    code, _, said = ask(ada, "submit", folder)
    assert code == 1
    assert said.splitlines()[-1] == (
        "error: E_ARENA: the arena has failed at it 2 times, the last time so: no referee answers"
    )
    door.fails = ""
    assert ask(ada, "submit", folder)[0] == 0


def test_a_name_that_is_taken_meanwhile_is_not_the_bots_fault(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """Somebody else's bot got the name during the check: exit code 1, and the arena is not to blame
    either."""

    async def check(_: Candidate) -> AsyncIterator[Row]:
        door.store.bots.add("slip", f"sha256:{'0' * 64}", "bob")
        yield Row("start", Verdict.PASS, "it is there")

    door.check = check
    code, out, said = ask(ada, "submit", bot(tmp_path / "slip"), "--json")
    assert (code, "error: E_NAME: slip: the name 'slip' is taken" in said) == (1, True), said
    assert json.loads(out)["arena_at_fault"] is False


def test_what_was_cleared_away_is_to_be_sent_anew(
    door: Door, ask: Ask, ada: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file that is gone when it is to be unpacked is the arena's fault: exit code 1, and the same
    again is taken."""
    claim = door.store.submissions.claim

    def cleared(*args: Any) -> Any:
        for file in Folders(door.data).uploads.iterdir():
            file.unlink()
        return claim(*args)

    folder = bot(tmp_path / "slip")
    with monkeypatch.context() as patch:
        patch.setattr(door.store.submissions, "claim", cleared)
        code, out, said = ask(ada, "submit", folder, "--json")
    assert (code, "error: E_UPLOAD: slip.tar.gz: " in said) == (1, True), said
    assert json.loads(out)["arena_at_fault"] is True
    assert ask(ada, "submit", folder)[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--name", "other"), "leave --name out"),
        (("--name", "other", "--build", "here"), "leave --name and --build out"),
    ],
)
def test_a_bot_that_dials_in_takes_no_option_for_files(
    door: Door, ask: Ask, ada: str, options: tuple[str, ...], words: str
) -> None:
    """What `--dial-in` cannot follow is refused in words, and nothing is registered."""
    code, out, said = ask(ada, "submit", "slip", "--dial-in", *options)
    assert (code, out, said) == (2, "", f"error: --dial-in sends no files: {words}\n")
    assert door.store.bots.all() == []


def test_a_retired_bot_stays_retired_and_its_author_is_told(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """No new version brings a retired bot back, by files or dialled in; what does is named."""
    assert ask(ada, "submit", bot(tmp_path / "slip"))[0] == 0
    assert ask(ada, "bot", "retire", "slip")[0] == 0
    for words in (("submit",), ("bot", "add")):
        code, _, said = ask(ada, *words, bot(tmp_path / "slip", program=f"# {words}\n"))
        assert code == 0
        assert "slip is retired, and gets no matches\nnext: knockbox bot restore slip " in said
    code, _, said = ask(ada, "submit", "--dial-in", "slip")
    assert (code, "next: knockbox bot restore slip " in said) == (0, True)
    assert door.store.bots.get("slip").retired_ms


@pytest.mark.parametrize("command", [("submit",), ("bot", "add")])
def test_a_path_with_a_slip_is_no_image(
    door: Door, ask: Ask, ada: str, command: tuple[str, ...]
) -> None:
    """What is not there is said to be no folder, unless a tag, a digest or a name tells of an
    image."""
    code, out, said = ask(ada, *command, "sample_bots/python/nosuch")
    assert (code, out) == (2, "")
    assert said.startswith("error: there is no folder sample_bots/python/nosuch; "), said
    for image in ("registry.example/x:1", f"x@sha256:{'0' * 64}"):
        code, out, said = ask(ada, *command, image)
        assert (code, out) == (2, "")
        assert said.startswith("error: an image has no name of its own: "), said
    assert door.store.bots.all() == []


def test_a_submission_is_its_owners_to_follow(
    door: Door, ask: Ask, ada: str, tmp_path: Path
) -> None:
    """Another author is told that there is none; a made-up id is the same."""
    assert ask(ada, "submit", bot(tmp_path / "slip"))[0] == 0
    bob = door.store.tokens.create("bob", "author")[1]
    with door.channel(bob) as channel:
        stub = ArenaServiceStub(channel)
        for submission_id in ("s00001", "s99999", "*", ""):
            request = sub.WatchSubmissionRequest(submission_id=submission_id)
            code, _ = refused(lambda request=request: list(stub.WatchSubmission(request)))
            assert code is grpc.StatusCode.NOT_FOUND


def test_whoever_is_killed_each_time_is_not_tried_for_ever(door: Door) -> None:
    """Where every worker that builds it dies, it is refused in the end, as the arena's fault."""
    one, _ = door.store.submissions.open(Upload("slip", sha(b"x"), "ada"), "archive")
    for _ in range(FAST.attempts):
        assert isinstance(door.store.submissions.claim(one, 1), Claim)
        until(lambda: door.store.submissions.due(1) == [one])
    examiner = Examiner(door.store, Folders(door.data), "", door.check, FAST, strict=False)
    assert asyncio.run(examiner.examine(one)) == "refused"
    found = door.store.submissions.get(one)
    assert (found.code, found.arena_at_fault) == ("E_ARENA", True)


def test_who_cannot_renew_a_claim_stops_when_it_is_over(
    door: Door, arena_server: Server, tmp_path: Path
) -> None:
    """While the store hears nothing of an examiner, another may begin with the submission: the
    first one has ended what it was at by then."""
    data = as_sent(bot(tmp_path / "slip"))
    upload = Upload("slip", sha(data), "ada")
    folders = Folders(door.data)
    folders.upload(upload.field, whole=True).write_bytes(data)
    one, _ = door.store.submissions.open(upload, "archive")
    ended: list[str] = []

    async def check(candidate: Candidate) -> AsyncIterator[Row]:
        arena_server[0].send_signal(signal.SIGSTOP)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(candidate.name)
        yield door.rows[0]

    async def examined() -> str:
        patience = FAST._replace(lease_s=0.3)
        examiner = Examiner(door.store, folders, "", check, patience, strict=False)
        try:
            async with asyncio.timeout(5):
                return await examiner.examine(one)
        finally:
            arena_server[0].send_signal(signal.SIGCONT)

    assert (asyncio.run(examined()), ended) == ("lost", ["slip"])
    until(lambda: door.store.submissions.due(1) == [one])
    assert isinstance(door.store.submissions.claim(one, 60_000), Claim)
