#!/usr/bin/env bash
# Makes the images that bots are built on: debian:trixie-slim where it is missing, and
# knockbox/python-bot. Running it again changes what has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
containers/base-image.sh

if compgen -G 'wheels/*.whl' >/dev/null; then
	index=1
else
	index=
fi
echo "knockbox/python-bot: building" >&2
started=$SECONDS
output=$(mktemp)
trap 'rm -f "$output"' EXIT
if ! docker build --tag knockbox/python-bot --file containers/python-bot/Dockerfile \
	--build-arg "PIP_NO_INDEX=$index" . >"$output" 2>&1; then
	tail -40 "$output" >&2
	if [ -z "$index" ] && grep -q -i -E 'ssl|certificate|No matching distribution' "$output"; then
		echo "knockbox/python-bot: the package index cannot be reached from inside a build;" \
			"containers/wheels.sh fetches what is needed from outside" >&2
	fi
	exit 1
fi
echo "knockbox/python-bot: made in $((SECONDS - started)) s" >&2
