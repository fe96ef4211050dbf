"""How gRPC waits for its sockets in a process that is about to host matches."""

import os

_CHOICE = "GRPC_EXPERIMENTS"
_ONE_THREAD = "-event_engine_listener"


def by_one_thread() -> None:
    """Let the thread that reads a message hand it to asyncio, from the next import of gRPC on.

    gRPC's event engine passes it through a pool of threads, and waking them costs more than all
    that a referee does with a decision: a fifth of the time where one game is played at a time.
    gRPC reads the variable once, while it is imported; what an operator has put there stands.
    """
    os.environ.setdefault(_CHOICE, _ONE_THREAD)
