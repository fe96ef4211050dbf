"""Plays well and meanwhile takes all it can get: `busy.py WHAT`."""

import os
import signal
import sys
import time

import well
from knockbox_sdk import run


def child(work):
    """Do something beside the game."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        try:
            work()
        finally:
            os._exit(0)


def fill(path):
    """Write until nothing more fits, then make files until there are no more."""
    try:
        with open(f"{path}/big", "wb", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass
    except OSError as error:
        print(path, error.strerror)
    try:
        for number in range(5000):
            open(f"{path}/{number}", "wb").close()
    except OSError as error:
        print(path, error.strerror)


def flood():
    """40 MB without a newline."""
    for _ in range(640):
        os.write(1, b"x" * 65536)


def spin():
    """All that its processor gives, on the other's time and its own."""

    def work():
        os.nice(19)
        while True:
            pass

    for _ in range(8):
        child(work)


def bomb():
    """Fork until nothing more can be, and then stay."""

    def grow():
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(600)

    child(grow)


def hungry():
    """A child has more than it may; it is the one that is killed."""

    def eat():
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        bytearray(300 << 20)

    child(eat)


def linger():
    """Children that hold the seat's connection and the outputs, and hear no signal but one."""
    for _ in range(3):
        child(lambda: time.sleep(600))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def litter():
    """Links and files of every kind, where it may write and where it may not."""
    import socket

    for place in ("/tmp", "/dev/shm", "/seat", "/bot"):
        for name, make in (
            ("link", lambda path: os.symlink("/etc/passwd", path)),
            ("up", lambda path: os.symlink("../" * 20 + "etc", path)),
            ("pipe", os.mkfifo),
            ("device", lambda path: os.mknod(path, 0o60666, os.makedev(8, 0))),
            ("socket", lambda path: socket.socket(socket.AF_UNIX).bind(path)),
            ("hard", lambda path: os.link("/seat/s.sock", path)),
            ("\x1b[31m\n..", lambda path: open(path, "w").close()),
        ):
            try:
                make(f"{place}/{name}")
                print(place, ascii(name))
            except OSError:
                pass


def quiet():
    """Close both outputs."""
    os.close(1)
    os.close(2)


TAKES = {
    "disk": lambda: (fill("/tmp"), fill("/dev/shm")),
    "flood": flood,
    "spin": spin,
    "bomb": bomb,
    "hungry": hungry,
    "linger": linger,
    "litter": litter,
    "quiet": quiet,
    "init": lambda: [os.kill(1, number) for number in (signal.SIGKILL, signal.SIGSTOP)],
}
run(well.after(2, TAKES[sys.argv[1]]))
if sys.argv[1] == "linger":
    time.sleep(600)
