"""People of other machines: TLS, tokens, and what each role may do, from the command line."""

import json
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from arena.api.door import NOT_ALLOWED, UNKNOWN, allowed
from arena.local import tls
from arena.settings import load
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from tests.arena.network_kit import Ask, Door, free_port

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
SERVICE = pb.DESCRIPTOR.services_by_name["ArenaService"]


def test_an_author_brings_own_bots_and_reads(door: Door, ask: Ask, tmp_path: Path) -> None:
    """An author's bots are the author's; other people's bots and everything else are not."""
    ada = door.store.tokens.create("ada", "author")[1]
    bob = door.store.tokens.create("bob", "author")[1]
    assert ask(ada, "bot", "add", SAMPLES / "random")[0] == 0
    shown = json.loads(ask(bob, "bot", "list", "--json")[1])
    assert [bot["bot"] for bot in shown] == ["random"]
    for words in (("bot", "list"), ("ratings",), ("ratings", "--json"), ("replay", "list")):
        assert "next: " not in ask(bob, *words)[2]  # what an organiser alone may do
    assert "owner     ada\n" in ask(bob, "bot", "show", "random")[1]
    code, _, said = ask(bob, "bot", "add", SAMPLES / "random")
    assert (code, said) == (1, "error: E_NAME: the name 'random' is taken\n")
    for words in (("tournament", "create"), ("token", "create", "eve"), ("token", "list")):
        code, out, said = ask(ada, *words)
        assert (code, out) == (1, "")
        assert said == f"error: {NOT_ALLOWED}\n"
    for words in (("bot", "logs", "random"), ("bot", "retire", "random")):
        assert ask(bob, *words) == (1, "", "error: random is not your bot\n")
    assert ask(ada, "bot", "retire", "random")[0] == 0
    assert json.loads(ask(ada, "status", "--json")[1])["matches"]["recorded"] == 0


def test_an_organiser_may_do_everything(door: Door, ask: Ask) -> None:
    """An organiser makes tokens over the network too, and ends them: at once, for all calls."""
    boss = door.store.tokens.create("boss", "organiser")[1]
    code, text, said = ask(boss, "token", "create", "ada", "--expires", "30d")
    assert (code, said.splitlines()[0][:20]) == (0, "ada: author, until 2")
    assert ask(text.strip(), "bot", "list")[0] == 0
    listed = json.loads(ask(boss, "token", "list", "--json")[1])
    assert [(one["name"], one["role"]) for one in listed] == [
        ("ada", "author"),
        ("boss", "organiser"),
    ]
    ended = ask(boss, "token", "revoke", "ada", "--json")
    assert ended == (0, '{"name": "ada", "revoked": true}\n', "")
    assert ask(text.strip(), "bot", "list")[0] == 1
    code, _, said = ask(boss, "token", "create", "ada", "--expires", "soon")
    assert (code, said) == (
        2,
        "error: --expires is 'soon': as 90m, 12h or 30d, 3650d at most\n",
    )


def test_alarms_are_shown_to_organisers(door: Door, ask: Ask) -> None:
    """The newest are shown with time, kind, match and words, of which nothing acts on a terminal,
    and how many more there are; an author sees none."""
    for number in range(1, 8):
        door.store.log.alarm("replay", f"cup.{number}", "attempt 1: broken \x1b[2J")
    door.store.log.alarm_dead("cup.8", "lease")
    boss = door.store.tokens.create("boss", "organiser")[1]
    ada = door.store.tokens.create("ada", "author")[1]
    code, _, said = ask(boss, "status")
    lines = said.splitlines()
    at = lines.index("8 alarms, the newest first:")
    assert code == 0 and lines[at + 1].endswith(
        " dead cup.8: given up: its last attempt ended by lease"
    )
    assert lines[at + 2].endswith(" replay cup.7: attempt 1: broken \N{REPLACEMENT CHARACTER}[2J")
    assert lines[at + 6] == "  and 3 more"
    told = json.loads(ask(boss, "status", "--json")[1])
    assert [one["match_id"] for one in told["alarms"]] == [f"cup.{n}" for n in range(8, 0, -1)]
    assert told["alarms_kept"] == 8
    assert abs(told["alarms"][0]["ms"] - door.store.now_ms()) < 60_000
    assert "alarm" not in ask(ada, "status")[2]
    own = json.loads(ask(ada, "status", "--json")[1])
    assert (own["alarms"], own["alarms_kept"]) == ([], 0)


def test_wrong_expired_and_revoked_tokens_are_told_apart_by_nobody(
    door: Door, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One code and one text, and nothing is answered, not even health, without a living token."""
    expired = door.store.tokens.create("old", "organiser", lifetime_s=1)[1]
    revoked = door.store.tokens.create("gone", "organiser")[1]
    door.store.tokens.revoke("gone")
    now = door.store.now_ms()
    monkeypatch.setattr(door.store.tokens, "_now_ms", lambda: now + 2000)
    said = {ask(text, "bot", "list") for text in (expired, revoked, "kb1.old.x", "nonsense")}
    assert said == {(1, "", f"error: {UNKNOWN}\n")}
    roots = grpc.ssl_channel_credentials(door.certificate.certificate.read_bytes())
    with grpc.secure_channel(door.address, roots) as channel:
        for method in SERVICE.methods:
            with pytest.raises(grpc.RpcError) as refused:
                call = channel.stream_stream(f"/{SERVICE.full_name}/{method.name}")
                next(call(iter([b""]), timeout=5))
            assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED, method.name
        with pytest.raises(grpc.RpcError) as refused:
            next(channel.stream_stream("/grpc.health.v1.Health/Check")(iter([b""]), timeout=5))
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        big = pb.AddBotRequest(name="x", files=[pb.BotFile(content=b"x" * (3 << 20))])
        with pytest.raises(grpc.RpcError) as refused:
            ArenaServiceStub(channel).AddBot(big, timeout=5)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_authors_may_read_and_no_more() -> None:
    """Of all calls an author makes those that read, but for tokens, and brings bots."""
    may = {one.name for one in SERVICE.methods if allowed("author", f"/s/{one.name}")}
    reads = ("Get", "List", "Watch")
    assert {name for name in may if not name.startswith(reads)} == {
        "BeginUpload",
        "SendUpload",
        "CreateSubmission",
        "RetireBot",
    }
    assert "ListTokens" not in may
    assert all(allowed("organiser", f"/s/{one.name}") for one in SERVICE.methods)


@pytest.mark.parametrize(
    ("variables", "code", "words"),
    [
        ({"KNOCKBOX_TLS_FINGERPRINT": ""}, 1, "is not trusted ("),
        ({"KNOCKBOX_TLS_FINGERPRINT": "0" * 64}, 1, "is another one than was named"),
        ({"KNOCKBOX_TLS_FINGERPRINT": "12"}, 2, "is 64 hexadecimal digits"),
        ({"KNOCKBOX_TLS_FINGERPRINT": "", "KNOCKBOX_TLS_CA": "/dev/null"}, 2, "--tls-ca"),
        ({"KNOCKBOX_TLS_FINGERPRINT": "", "KNOCKBOX_TLS_CA": "/no"}, 2, "No such file"),
        ({"KNOCKBOX_TOKEN": ""}, 2, "KNOCKBOX_TOKEN is to hold the text of a token"),
    ],
)
def test_a_way_that_does_not_lead_there(
    door: Door, ask: Ask, variables: dict[str, str], code: int, words: str
) -> None:
    """An arena that cannot be reached, or be known for what it is, is told in one line."""
    token = variables.pop("KNOCKBOX_TOKEN", "kb1.ada.x")
    found, out, said = ask(token, "bot", "list", **variables)
    assert (found, out, said.count("\n"), words in said) == (code, "", 1, True), said


def test_the_way_is_found_by_the_certificate_file_too(door: Door, ask: Ask) -> None:
    """`--tls-ca` with a copy of the certificate, and the options after the command."""
    ada = door.store.tokens.create("ada", "author")[1]
    file = str(door.certificate.certificate)
    known = {"KNOCKBOX_TLS_FINGERPRINT": ""}
    assert ask(ada, "bot", "list", "--tls-ca", file, "--arena", door.address, **known)[0] == 0
    code, _, said = ask(ada, "bot", "list", f"--arena=127.0.0.1:{free_port()}")
    assert (code, said.startswith("error: no arena answers at 127.0.0.1:")) == (4, True), said
    code, _, said = ask(ada, "bot", "list", "--arena", "nowhere")
    assert (code, "HOST:PORT" in said) == (2, True)


def test_a_certificate_is_made_once_and_ones_own_is_checked(tmp_path: Path) -> None:
    """What was made stays, its key is nobody else's; a pair that does not fit is refused."""
    settings = load({"HOME": "/h", "KNOCKBOX_LISTEN": "0.0.0.0:1"}, 0, 2, tmp_path)
    made = tls.ready(settings)
    assert tls.ready(settings) == made
    assert made.key.stat().st_mode & 0o777 == 0o600
    assert tls.ready(replace(settings, tls=made[:2])) == made
    other = tmp_path / "other"
    other.mkdir()
    mixed = made.certificate, tls.ready(replace(settings, data=other)).key
    for pair in (mixed, (made.key, made.key), (tmp_path / "no", made.key)):
        with pytest.raises(tls.CertificateError):
            tls.ready(replace(settings, tls=pair))


def test_one_file_with_key_and_certificate_serves_in_either_order(tmp_path: Path) -> None:
    """The fingerprint is the certificate's, also where the key stands first in the same file."""
    settings = load({"HOME": "/h", "KNOCKBOX_LISTEN": "0.0.0.0:1"}, 0, 2, tmp_path)
    made = tls.ready(settings)
    key, certificate = made.key.read_text(), made.certificate.read_text()
    whole = tmp_path / "whole.pem"
    for text in (f"{key}{certificate}", f"{certificate}{key}"):
        whole.write_text(text)
        assert tls.ready(replace(settings, tls=(whole, whole))).fingerprint == made.fingerprint
