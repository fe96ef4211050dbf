"""The API's process: `python -m arena.api --listen unix:///ABS/PATH --store NAME_FOR_PEOPLE`.

Settings come from the environment, as the supervisor gives them: KNOCKBOX_DATA, REDIS_URL.
"""

import argparse
import os
import pwd
import signal
import sys
import threading
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.api.server import ApiSettings
    from workers.settings import Settings
    from workers.store import Store


def main() -> int:
    """Serve until SIGTERM; the exit code, 2 where settings make no sense."""
    arguments = _arguments()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    import structlog

    from arena.api.queued import Queued
    from arena.api.server import serve
    from referee import open_files, service_settings
    from workers import logs
    from workers.app import make_app
    from workers.messages import Messages
    from workers.settings import load

    try:
        shared = load()
    except service_settings.ServiceSettingsError as error:
        return service_settings.told("python -m arena.api", error)
    logs.configure()
    open_files.as_many_as_may_be()
    log = structlog.get_logger("api")
    store = _open(shared.redis_url, stop)
    if store is None:
        return 0
    queued = Queued(store, Messages(make_app(shared)), shared.window)
    settings = _settings(arguments, shared)
    standing: Any = nullcontext()
    if arguments.standing:
        from arena.api.standing import arena_of

        standing = arena_of(settings, shared.control, shared.redis_url)
    try:
        with standing:
            ready = partial(log.info, "ready", listen=arguments.listen)
            serve(settings, store, queued.began, stop, ready, queued.handed_in, queued.woken)
    except OSError as error:
        log.error("cannot serve", error=str(error))
        return 1
    finally:
        store.close()
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m arena.api")
    parser.add_argument("--listen", required=True, help="unix:///ABS/PATH")
    parser.add_argument("--store", default="", help="the result store, in words")
    parser.add_argument("--address", default="", help="HOST:PORT of a network; with the next two")
    parser.add_argument("--certificate", type=Path, help="PEM file")
    parser.add_argument("--key", type=Path, help="PEM file")
    parser.add_argument(
        "--standing",
        action="store_true",
        help="no supervisor is there: be the arena of the data folder, for the command line",
    )
    return parser.parse_args()


def _settings(arguments: argparse.Namespace, shared: "Settings") -> "ApiSettings":
    """What the API is told by its arguments, and what by the settings that all services share."""
    from arena.api.dialin import Terms as DialTerms
    from arena.api.server import ApiSettings, Network
    from arena.api.submissions import Terms
    from workers.store.submissions import Allowance

    network = None
    if arguments.address:
        network = Network(arguments.address, arguments.certificate, arguments.key)
    return ApiSettings(
        listen=arguments.listen,
        data=shared.data,
        store=arguments.store,
        owner=_user(),
        network=network,
        ladder_day_s=shared.ladder_day_s,
        slots=shared.slots,
        launcher=shared.launch,
        sandbox=shared.sandbox,
        terms=Terms(
            shared.submit_mb << 20,
            Allowance(shared.submit_open, shared.submit_day),
            round(shared.resend_s * 1000),
        ),
        dial=DialTerms(
            streams=shared.dial_streams,
            each=shared.dial_streams_each,
            beat_s=shared.dial_beat_s,
            lease_s=shared.dial_lease_s,
            look_s=shared.dial_look_s,
            a_day=shared.submit_day,
        ),
    )


def _open(redis_url: str, stop: threading.Event) -> "Store | None":
    """The store as soon as it answers; None when told to stop before."""
    from workers.store import DOWN, open_store

    while not stop.is_set():
        try:
            return open_store(redis_url)
        except DOWN as error:
            print(f"waiting for the store: {error}", file=sys.stderr)
            stop.wait(1.0)
    return None


def _user() -> str:
    """Who runs the arena: the owner of the bots that are brought to it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


if __name__ == "__main__":
    sys.exit(main())
