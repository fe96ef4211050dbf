"""The template of containers, whatever an order says; the seat's folder; what is not shared."""

import json
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.service import seats, shares
from workers.sandbox.service.shares import USERS, Cores, Users
from workers.sandbox.service.template import Order, OrderError, Sandbox, arguments

SANDBOX = Sandbox("{}", "place", "process")
ORDER = Order(
    "sha256:" + "0" * 64, Path("/run/r/01234567/0"), "t" * 43, "m.1", 1, 99, 64 << 20, USERS[0]
)

# What an order fills in, and how it looks there; everything else is the same for all.
PLACES = {
    "image": lambda order: order.image,
    "mounts": lambda order: [
        {
            "Target": "/seat",
            "Source": str(order.folder),
            "Type": "bind",
            "ReadOnly": True,
            "BindOptions": {"Propagation": "rprivate"},
        }
    ],
    "user": lambda order: f"{order.user}:65534",
    "mem_limit": lambda order: order.memory,
    "memswap_limit": lambda order: order.memory,
}
HOSTILE = (
    "", "--privileged", "x --cap-add=ALL", "x,target=/", "/var/run/docker.sock", "../..", "a\0b",
    "a\nb", "$(id)", "{}", "\u202e", "sha256:" + "0" * 64 + " --privileged", "debian:trixie-slim",
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=80))


def texts(plain: str):
    return st.one_of(st.just(plain), TEXTS)


ORDERS = st.builds(
    Order,
    image=st.one_of(texts(ORDER.image), st.from_regex(r"sha256:[0-9a-f]{64}", fullmatch=True)),
    folder=texts(str(ORDER.folder)).map(Path),
    ticket=texts(ORDER.ticket),
    match_id=texts(ORDER.match_id),
    attempt=st.integers(-1, 1 << 40),
    deadline=st.integers(-1, 1 << 40),
    memory=st.one_of(st.just(ORDER.memory), st.integers(-1, 1 << 40)),
    user=st.one_of(st.just(ORDER.user), st.integers(-1, 1 << 33)),
    core=st.one_of(st.none(), st.integers(-1, 1 << 10)),
)


@given(ORDERS)
def test_no_order_gets_a_flag_outside_the_template(order):
    """Whatever an order says, it is refused, or differs from all others in its places alone."""
    try:
        made = arguments(SANDBOX, order)
    except OrderError:
        return
    plain = arguments(SANDBOX, ORDER)
    core = made.pop("cpuset_cpus", None)
    assert core == (None if order.core is None else str(order.core))
    assert made.keys() == plain.keys()
    for key in made:
        if key in PLACES:
            assert made[key] == PLACES[key](order)
        elif key == "environment":
            assert made[key] == {**plain[key], "KNOCKBOX_TICKET": order.ticket}
        elif key == "labels":
            changed = {
                name
                for name in made[key] | plain[key]
                if made[key].get(name) != plain[key].get(name)
            }
            assert changed <= {f"knockbox.bot.{name}" for name in ("match", "attempt", "deadline")}
        else:
            assert made[key] == plain[key]
    told = json.dumps(made)
    assert "privileged" not in told.replace("no-new-privileges", "")
    assert order.user in USERS
    assert order.user != 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("image", "debian:trixie-slim"),
        ("image", "sha256:" + "0" * 63),
        ("image", "sha256:" + "0" * 64 + "\n"),
        ("ticket", "short"),
        ("ticket", "t" * 43 + "\n"),
        ("match_id", "a/b"),
        ("match_id", ""),
        ("folder", Path("run")),
        ("folder", Path("/run/../etc")),
        ("folder", Path("/run/a\nb")),
        ("memory", 1),
        ("user", 0),
        ("user", 1000),
        ("core", -1),
        ("attempt", 0),
    ],
)
def test_what_does_not_fit_is_refused_by_name(field, value):
    """A field that is not of its form is refused, and the refusal names it."""
    with pytest.raises(OrderError, match=field):
        arguments(SANDBOX, ORDER._replace(**{field: value}))


def test_the_template_is_what_the_page_says():
    """Every limit that docs/security.md promises stands in the arguments."""
    made = arguments(SANDBOX._replace(runtime="runsc"), ORDER._replace(core=3))
    assert made["network_mode"] == made["ipc_mode"] == "none"
    assert (made["init"], made["read_only"], made["hostname"]) == (True, True, "bot")
    assert (made["cap_drop"], made["pids_limit"]) == (["ALL"], 64)
    assert made["security_opt"] == ["no-new-privileges", "seccomp={}"]
    assert made["healthcheck"] == {"test": ["NONE"]}
    assert made["nano_cpus"] == 10**9
    assert (made["runtime"], made["cpuset_cpus"]) == ("runsc", "3")
    assert "runtime" not in arguments(SANDBOX, ORDER)


# The seat's folder.


@pytest.fixture
def door(tmp_path_factory):
    """A root with one seat's socket in it."""
    root = tmp_path_factory.mktemp("k")
    folder = root / "0123abcd" / "1"
    folder.mkdir(parents=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "s.sock"))
    yield root, folder
    listener.close()


def test_a_seats_folder_is_found(door):
    """The folder of a socket that the referee has made is taken."""
    root, folder = door
    assert seats.folder_of(f"unix://{folder}/s.sock", root) == folder


@pytest.mark.parametrize(
    "address",
    [
        "dns:///host:1", "unix:///etc/s.sock", "unix://{root}/s.sock", "unix://{root}/../x/0/s.sock",
        "unix://{root}/0123abcd/../../s.sock", "unix://{root}/0123abcd/1/other.sock",
        "unix://{root}/0123abcd/1/s.sock\n", "unix://{root}/89abcdef/0/s.sock",
        "unix://{root}//0123abcd/1/s.sock", "unix:{root}/0123abcd/1/s.sock",
    ],
)  # fmt: skip
def test_no_other_folder_is_a_seat(door, address):
    """An address that leads anywhere else is refused before anything is mounted."""
    root, _ = door
    with pytest.raises(seats.SeatError):
        seats.folder_of(address.format(root=root), root)


@pytest.mark.parametrize("kind", ["leg", "seat", "socket", "beside"])
def test_a_seat_with_links_or_more_in_it_is_refused(door, kind):
    """A link on the way to the socket, or anything beside it, is refused."""
    root, folder = door
    address = f"unix://{root}/0123abcd/1/s.sock"
    if kind == "leg":
        (root / "0123abcd").rename(root / "x")
        (root / "0123abcd").symlink_to(root / "x")
    elif kind == "seat":
        folder.rename(root / "x")
        folder.symlink_to(root / "x")
    elif kind == "socket":
        (folder / "s.sock").unlink()
        (folder / "s.sock").write_text("")
    else:
        (folder / "more").write_text("")
    with pytest.raises(seats.SeatError):
        seats.folder_of(address, root)


MOUNT = {"Type": "bind", "Source": "/r/0", "Destination": "/seat", "RW": False}


@pytest.mark.parametrize(
    ("host", "mounts"),
    [
        ({}, []),
        ({}, [MOUNT, MOUNT]),
        ({}, [{**MOUNT, "RW": True}]),
        ({}, [{**MOUNT, "Source": "/r"}]),
        ({}, [{**MOUNT, "Destination": "/"}]),
        ({}, [MOUNT, {**MOUNT, "Type": "volume", "Destination": "/data"}]),
        ({"Binds": ["/:/host"]}, [MOUNT]),
        ({"VolumesFrom": ["other"]}, [MOUNT]),
        ({"Devices": ["/dev/kvm"]}, [MOUNT]),
    ],
)
def test_any_other_mount_is_seen(host, mounts):
    """What the engine would mount beside the seat's folder, or in place of it, is complained of."""
    told = {"HostConfig": host, "Mounts": mounts}
    assert seats.complaint(told, Path("/r/0"))
    assert not seats.complaint({"HostConfig": {}, "Mounts": [MOUNT]}, Path("/r/0"))


# What is not shared.


@given(st.lists(st.booleans(), max_size=60))
def test_no_two_containers_have_one_user(steps):
    """Whatever comes and goes, each container's number is its own, and never 0."""
    users, held = Users(), []
    for take in steps:
        if take or not held:
            held.append(users.take())
        else:
            users.give(held.pop(0))
        assert len(set(held)) == len(held)
        assert set(held) <= set(shares.USERS)


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(2, 4)), max_size=12),
)
def test_all_seats_of_a_match_have_a_processor_or_none_has(count, matches):
    """No processor is given twice, the first to nobody, and a match's seats are alike."""
    cores = Cores(count)
    held: dict[str, list[int | None]] = {}
    for match, seats_at_once in matches:
        if match in held:
            for core in held.pop(match):
                cores.give(match, core)
            continue
        held[match] = [cores.take(match, seats_at_once) for _ in range(seats_at_once)]
        given = [core for group in held.values() for core in group if core is not None]
        assert len(set(given)) == len(given)
        assert set(given) <= set(range(1, count))
        assert len({core is None for core in held[match]}) == 1
