"""Speaks the protocol as nobody should: `rude.py HOW`."""

import array
import os
import socket
import sys
import threading
import time
from contextlib import suppress

import grpc
import knockbox_sdk.play as sdk
import well
from knockbox_sdk import Action, run
from knockbox_sdk.stubs import play_pb2

SEAT = "/seat/s.sock"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


def door(data=b""):
    """A raw connection to the seat."""
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(0.5)
    one.connect(SEAT)
    one.sendall(data)
    return one


def parted(one):
    """Read until the referee closes."""
    try:
        while one.recv(65536):
            pass
        return "closed"
    except OSError as error:
        return type(error).__name__


def channel():
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.default_authority", "localhost"))
    return grpc.insecure_channel(f"unix://{SEAT}", options=options)


def talk(*requests, ticket=None):
    """Join and say all that; the code with which it ends."""
    join = play_pb2.Join(ticket=ticket or os.environ["KNOCKBOX_TICKET"], protocol=1)
    said = [play_pb2.PlayRequest(join=join).SerializeToString(), *requests]
    with channel() as line:
        call = line.stream_stream("/knockbox.v1.PlayService/Play")(iter(said))
        try:
            for _ in call:
                pass
        except grpc.RpcError as error:
            return error.code().name
    return "OK"


def calls():
    """Joins, hears the first message, and drops the line."""
    join = play_pb2.Join(ticket=os.environ["KNOCKBOX_TICKET"], protocol=1)
    said = iter([play_pb2.PlayRequest(join=join).SerializeToString()])
    with channel() as line:
        call = line.stream_stream("/knockbox.v1.PlayService/Play")(
            iter(lambda: next(said, None) or threading.Event().wait(), 0)
        )
        with suppress(grpc.RpcError):
            next(call)
        call.cancel()


def garbage():
    """Bytes that are no HTTP/2, frames that are none, a frame that declares 16 MB."""
    for data in (
        os.urandom(4096),
        b"GET / HTTP/1.1\r\n\r\n",
        PREFACE + os.urandom(4096),
        PREFACE + b"\xff\xff\xff\0\0\0\0\0\1" + bytes(1 << 20),
        PREFACE + bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) * 1 + bytes(8),
    ):
        try:
            print(parted(door(data)))
        except OSError as error:
            print(type(error).__name__)


def resets():
    """Streams that are opened and reset at once, pings, settings: thousands of each."""
    headers = b"\x83\x86\x84\x41\x09localhost"
    frame = bytes([0, 0, len(headers), 1, 4])
    for burst in (
        b"".join(
            frame + number.to_bytes(4, "big") + headers
            + bytes([0, 0, 4, 3, 0]) + number.to_bytes(4, "big") + bytes([0, 0, 0, 8])
            for number in range(1, 8001, 2)
        ),
        bytes([0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) * 5000,
        bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) * 5000,
        b"".join(bytes([0, 64, 0, 9, 0, 0, 0, 0, 1]) + bytes(16384) for _ in range(50)),
    ):  # fmt: skip
        try:
            print(parted(door(PREFACE + burst)))
        except OSError as error:
            print(type(error).__name__)


def crowd():
    """As many connections as files may be open, from as many processes as may be."""
    for _ in range(30):
        if os.fork() == 0:
            held = []
            try:
                while True:
                    held.append(door(PREFACE))
            except OSError as error:
                os.write(1, f"{len(held)} {error.strerror}\n".encode())
                time.sleep(600)
            os._exit(0)
    time.sleep(1)


def passes():
    """Open files of its own, handed over to the referee with each byte."""
    one = door()
    files = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(100)])
    for byte in PREFACE[:24]:
        try:
            one.sendmsg([bytes([byte])], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        except OSError as error:
            print(error.strerror)
            return
    time.sleep(0.3)


def oversize():
    """Joins and says a megabyte."""
    print(talk(bytes(1 << 20)))


def half():
    """Joins and half-closes."""
    print(talk())


def strangers():
    """Joins with tickets that are none."""
    for ticket in ("x", "A" * 43, "\u00e9", "x" * 4000):
        print(talk(ticket=ticket))


def twice():
    """A second connection with the same ticket while the first plays, which does not come again."""
    sdk.RECONNECTIONS = 0
    threading.Thread(target=lambda: print(talk())).start()
    time.sleep(0.3)


def cheat(state):
    """A card that is not in the pack."""
    return Action(state.turn.decision, "discard", 77)


def stale():
    """Answers to what nobody asked, each in a message of its own."""
    ready = play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString()
    wrong = play_pb2.Action(decision=99_999, draw={})
    actions = play_pb2.PlayRequest(actions=play_pb2.Actions(actions=[wrong])).SerializeToString()
    print(talk(ready, *[actions] * 40))


BEFORE = {
    "garbage": garbage, "resets": resets, "crowd": crowd, "passes": passes,
    "oversize": oversize, "strangers": strangers, "stale": stale,
}  # fmt: skip
how = sys.argv[1]
if how == "half":
    half()
elif how == "cheat":
    run(cheat)
elif how == "twice":
    run(well.after(3, twice))
elif how == "often":
    for _ in range(30):
        calls()
else:
    BEFORE[how]()
    run(well.bot)
