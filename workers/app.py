"""The Celery application: how matches travel to workers, and nothing of what they do.

Start each service of a machine with one process each (settings come from the environment, see
`workers.settings`; the ones a supervisor gives are REDIS_URL, KNOCKBOX_DATA, KNOCKBOX_CONTROL and
KNOCKBOX_SLOTS):

    python -m workers play --concurrency 2     plays matches; as many of these as a machine bears
    python -m workers record                   records results and keeps the queue filled; only one
    python -m workers reconcile                finds what was lost and sends it again; only one

Each is in the foreground, logs JSON lines to stderr, and prints nothing to stdout. Each logs the
event "ready" once it serves. SIGTERM ends it in order (`play` ends its running matches first, which
may take minutes), SIGQUIT within `soft_shutdown` seconds, and SIGKILL loses nothing: what was in
flight is played or recorded again. Pool children die with their parent.
"""
