"""The service that holds the container engine: starts bots in containers, and ends them.

Nothing outside this package meets the engine. `template` says what a container is like, `launch`
answers workers, `reaper` clears away, `server` puts it on a socket.
"""
