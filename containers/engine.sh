#!/usr/bin/env bash
# engine.sh start: uses a container engine that answers, else starts Docker's with folders of its own.
# engine.sh stop: ends the engine that it started, by its number, and no other.
# For machines without service manager; needs root to start one. KNOCKBOX_ENGINE: its folder.
set -euo pipefail
folder=${KNOCKBOX_ENGINE:-/var/lib/knockbox-engine}
pidfile=$folder/dockerd.pid

say() { printf 'engine: %s\n' "$*" >&2; }

answers() { docker version --format '{{.Server.Version}}' 2>/dev/null; }

# The number of the engine that was started here, if it still lives and is one.
ours() {
	local pid
	pid=$(cat "$pidfile" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] && echo "$pid"
}

start() {
	local version
	if version=$(answers); then
		say "version $version answers"
		return
	fi
	if ! command -v dockerd >/dev/null; then
		say "none answers, and none is installed (Debian, Ubuntu: apt-get install docker.io)"
		return 1
	fi
	if [ "$(id -u)" != 0 ]; then
		say "none answers; only root may start one"
		return 1
	fi
	mkdir -p "$folder/data" "$folder/exec"
	# A session of its own: it lives on when this script's terminal goes.
	setsid dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$pidfile" \
		--host unix:///var/run/docker.sock >"$folder/dockerd.log" 2>&1 </dev/null &
	local started=$SECONDS
	until version=$(answers); do
		if [ $((SECONDS - started)) -ge "${KNOCKBOX_ENGINE_START_S:-60}" ] || ! kill -0 $! 2>/dev/null; then
			say "it does not come up; the end of $folder/dockerd.log:"
			tail -15 "$folder/dockerd.log" >&2
			return 1
		fi
		sleep 0.2
	done
	say "version $version started in $((SECONDS - started)) s, its folder is $folder"
}

stop() {
	local pid
	if ! pid=$(ours); then
		say "none was started here"
		return
	fi
	kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
	say "ended"
}

case ${1:-} in
start | stop) "$1" ;;
*)
	echo "usage: containers/engine.sh start|stop" >&2
	exit 2
	;;
esac
