"""Plays well and leaves its ticket wherever it can, for whoever may find it there."""

import os
import socket
import sys

import well
from knockbox_sdk import run

TICKET = os.environ["KNOCKBOX_TICKET"]
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, TICKET])
for place in ("/tmp/ticket", "/dev/shm/ticket"):
    with open(place, "w") as file:
        file.write(TICKET)
beacon = socket.socket(socket.AF_UNIX)
beacon.bind("\0careless")
beacon.listen()
named = socket.socket(socket.AF_UNIX)
named.bind("/tmp/careless")
named.listen()
run(well.bot)
