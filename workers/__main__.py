"""`python -m workers play|record|reconcile`: reads settings, connects, serves until a signal."""

import argparse
import signal
import sys
import threading
from typing import Any


def main(argv: list[str] | None = None) -> int:
    """Serve until told to stop; the exit code. 2: settings or arguments make no sense."""
    parser = argparse.ArgumentParser(prog="python -m workers")
    services = parser.add_subparsers(dest="service", required=True)
    play = services.add_parser("play", help="play matches, check what is submitted")
    play.add_argument("--concurrency", type=int, default=1, help="matches at a time")
    services.add_parser("record", help="record results; run one of it")
    services.add_parser("reconcile", help="send again what was lost; run one of it")
    arguments = parser.parse_args(argv)

    from referee import service_settings
    from workers import logs
    from workers.app import make_app, work
    from workers.messages import CHECK, PLAY, RECORD
    from workers.settings import load

    try:
        settings = load()
    except service_settings.ServiceSettingsError as error:
        return service_settings.told("python -m workers", error)
    logs.configure()
    app = make_app(settings)
    if arguments.service == "play":
        return work(app, PLAY, arguments.concurrency, (CHECK,))
    if arguments.service == "record":
        return work(app, RECORD, 1)
    return _reconcile(settings, app)


def _reconcile(settings: Any, app: Any) -> int:
    import structlog

    from workers.folders import Folders
    from workers.messages import PLAY, Messages
    from workers.reconcile import Reconciler
    from workers.store import DOWN, Broker, connect, open_store

    log = structlog.get_logger("reconciler")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    store = None
    while store is None and not stop.is_set():
        try:
            store = open_store(settings.redis_url)
        except DOWN as error:
            log.warning("waiting for the store", error=str(error))
            stop.wait(1.0)
    if store is None:
        return 0
    folders = Folders(settings.data)
    folders.make()
    broker = Broker(connect(settings.broker_url or settings.redis_url), PLAY)
    reconciler = Reconciler(store, broker, Messages(app), folders, settings.policy)
    log.info("ready", sweep_s=settings.sweep_s)
    reconciler.run(stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
