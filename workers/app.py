"""The Celery application: how matches travel to workers, and nothing of what they do.

Start each service of a machine with one process each (settings come from the environment, see
`workers.settings`; the ones a supervisor gives are REDIS_URL, KNOCKBOX_DATA, KNOCKBOX_CONTROL and
KNOCKBOX_SLOTS):

    python -m workers play --concurrency 2     plays matches, checks what authors submit; as many of
                                               these as a machine bears
    python -m workers record                   records results and keeps the queue filled; only one
    python -m workers reconcile                finds what was lost and sends it again; only one

Each is in the foreground, logs JSON lines to stderr, and prints nothing to stdout. Each logs the
event "ready" once it serves. SIGTERM ends it in order: `play` takes no new match, plays the running
ones to their end, and what is not over after `KNOCKBOX_FINISH_S` it puts back. SIGQUIT ends `play`
at once: its bots are ended, its matches are put back for another worker and lose nothing by it.
SIGKILL loses nothing either: what was in flight is played or recorded again when its lease is over.
Pool children die with their parent.

Delivery is neither at least once nor at most once, and nothing here tries to make it so: a match is
played when the store says so, and the reconciler sends again what got lost.
"""

import os
import signal
import socket
import threading
import warnings
from typing import Any

from celery import Celery, signals
from celery.platforms import SecurityWarning

from workers.messages import PLAY, QUEUES, RECORD
from workers.settings import Settings


class App(Celery):
    """A Celery application that knows its settings, in its pool's children too."""

    settings: Settings

    def __reduce__(self) -> tuple[Any, ...]:
        """Pool children are fresh interpreters: each makes the application anew."""
        return make_app, (self.settings,)


def make_app(settings: Settings) -> App:
    """The application with its tasks. Connects to nothing."""
    from workers import tasks

    app = App("knockbox", broker=settings.broker, set_as_current=False)
    app.settings = settings
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_acks_on_failure_or_timeout=True,
        task_reject_on_worker_lost=True,
        task_soft_time_limit=settings.soft_limit_s,
        task_time_limit=settings.hard_limit_s,
        task_routes={name: {"queue": queue} for name, queue in QUEUES.items()},
        task_default_queue=RECORD,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_pool_start_method="spawn",
        worker_proc_alive_timeout=60.0,
        worker_max_tasks_per_child=200,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            # Never below the longest task, or it runs twice; a dead worker's match does not wait
            # for this, the reconciler has sent it again long before.
            "visibility_timeout": settings.hard_limit_s + 60,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
        },
    )
    tasks.register(app, settings)
    signals.setup_logging.connect(_own_logging, weak=False, dispatch_uid="knockbox")
    return app


def work(app: App, queue: str, concurrency: int, also: tuple[str, ...] = ()) -> int:
    """Serve one queue, and others `also`, in turns, until told to stop; the exit code."""
    import structlog

    log = structlog.get_logger(queue)

    def ready(**_: Any) -> None:
        log.info("ready", queue=queue, concurrency=concurrency)

    def ending(how: str = "", **_: Any) -> None:
        log.info("ending", at_once=how == "Cold", finish_s=app.settings.finish_s)
        if how == "Warm" and queue == PLAY:
            # Daemonic: what has ended before needs no reminder.
            reminder = threading.Timer(
                app.settings.finish_s, os.kill, (os.getpid(), signal.SIGQUIT)
            )
            reminder.daemon = True
            reminder.start()

    signals.worker_ready.connect(ready, weak=False)
    signals.worker_shutting_down.connect(ending, weak=False)
    # It warns root of pickled messages; only JSON is read here.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = app.Worker(
        hostname=f"{queue}@{socket.gethostname()}",
        queues=[queue, *also],
        concurrency=concurrency,
        pool="prefork",
        loglevel="WARNING",  # for what billiard prints before our own logging is set up
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _own_logging(**_: Any) -> None:
    """Celery leaves logging alone where somebody answers this signal."""
    from workers import logs

    logs.configure()
