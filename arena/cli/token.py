"""`knockbox token`: create, list, revoke."""

import re
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.errors import usage
from arena.cli.options import Data, Json
from arena.cli.words import fit, room

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb

app = App(name="token")

UNITS = {"m": 60, "h": 3600, "d": 86400}
LONGEST_D = 3650


@app.command
def create(
    name: Annotated[str, Parameter(help="Whose it is; the owner of the bots brought with it.")],
    /,
    *,
    role: Annotated[
        Literal["author", "organiser"],
        Parameter(help="author: bots of one's own, and reading; organiser: everything."),
    ] = "author",
    expires: Annotated[
        str, Parameter(help="When it ends by itself, as 90m, 12h or 30d; else never.")
    ] = "",
    data: Data = None,
    json: Json = False,
) -> None:
    """Make a token for NAME, and print it this once.

    Nobody can ask for its text again.

    Example: knockbox token create ada --expires 30d
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    number = pb.ROLE_ORGANISER if role == "organiser" else pb.ROLE_AUTHOR
    request = pb.CreateTokenRequest(name=name, role=number, lifetime_s=_seconds(expires))
    with arena(data) as stub:
        made = stub.CreateToken(request)
    if json:
        output.as_json({**_as_json(made.token), "token": made.secret})
        return
    output.data(made.secret)
    output.note(f"{made.token.name}: {role}, {_ends(made.token)}")
    output.next_step("export KNOCKBOX_TOKEN=…", "on their machine; `--arena HOST:PORT` names this")


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All tokens, by name; of their texts only the beginning is known.

    Example: knockbox token list
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.ListTokens(pb.ListTokensRequest()).tokens
    if json:
        output.as_json([_as_json(one) for one in found])
        return
    if not found:
        output.note("no tokens: nobody comes in over a network address")
        output.next_step("knockbox token create NAME", "makes one")
        return
    headers = ("token", "role", "begins", "created", "ends")
    rows = [
        (one.name, _role(one), f"{one.prefix}…", _when(one.created_ms), _ends(one)) for one in found
    ]
    output.table(*fit(headers, rows, ("created",), room(), left=5))
    output.next_step("knockbox token revoke NAME", "ends one at once")


@app.command
def revoke(
    name: Annotated[str, Parameter(help="Whose it is.")],
    /,
    *,
    data: Data = None,
    json: Json = False,
) -> None:
    """End a token at once; its owner's bots stay.

    Example: knockbox token revoke ada
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        stub.RevokeToken(pb.RevokeTokenRequest(name=name))
    if json:
        output.as_json({"name": name, "revoked": True})
        return
    output.note(f"the token of {name} has ended")
    output.next_step("knockbox token list", "those that live")


def _seconds(text: str) -> int:
    """A time from now; 0 for none. Raises CommandError."""
    if not text:
        return 0
    found = re.fullmatch("([1-9][0-9]{0,6})([mhd])", text)
    if not found or int(found[1]) * UNITS[found[2]] > LONGEST_D * UNITS["d"]:
        raise usage(f"--expires is {text!r}: as 90m, 12h or 30d, {LONGEST_D}d at most")
    return int(found[1]) * UNITS[found[2]]


def _role(token: "pb.Token") -> str:
    from knockbox.v1 import arena_pb2 as pb

    return pb.Role.Name(token.role).removeprefix("ROLE_").lower()


def _ends(token: "pb.Token") -> str:
    if not token.expires_ms:
        return "does not expire"
    past = token.expires_ms / 1000 < time.time()
    return f"{'expired' if past else 'until'} {_when(token.expires_ms)}"


def _when(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))


def _as_json(token: "pb.Token") -> dict[str, Any]:
    return {
        "name": token.name,
        "role": _role(token),
        "prefix": token.prefix,
        "created_ms": token.created_ms,
        "expires_ms": token.expires_ms or None,
    }
