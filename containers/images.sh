#!/usr/bin/env bash
# images.sh [LANGUAGE…]: makes the images that bots are built on: debian:trixie-slim where it is
# missing, and knockbox/LANGUAGE-bot for each folder containers/LANGUAGE-bot (all where none is named).
# An image knows by a label what it was made from: running it again makes only what has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
label=knockbox.made-from
output=$(mktemp)
trap 'rm -f "$output"' EXIT

say() { printf '%s\n' "$*" >&2; }

dockerfile() { echo "containers/$1-bot/Dockerfile"; }

# What a Dockerfile copies from the checkout.
sources() {
	awk '$1 == "COPY" && $2 !~ /^--/ { for (i = 2; i < NF; i++) print $i }' "$1"
}

# The languages whose images a Dockerfile builds on.
parents() {
	sed -n 's#^FROM knockbox/\([a-z]*\)-bot.*#\1#p' "$1" | sort -u
}

# One hash of everything that goes into a language's image: base, parents, Dockerfile and files.
fingerprint() {
	local file path parent
	file=$(dockerfile "$1")
	{
		docker image inspect --format '{{.Id}}' debian:trixie-slim
		for parent in $(parents "$file"); do fingerprint "$parent"; done
		cat "$file"
		for path in $(sources "$file"); do
			find "$path" -type f ! -path '*/__pycache__/*' | LC_ALL=C sort | xargs -r -d '\n' sha256sum
		done
	} | sha256sum | cut -c1-32
}

# What pip needs to know where wheels/ is filled: that nothing else is looked for.
arguments() {
	if grep -q '^ARG PIP_NO_INDEX' "$1" && compgen -G 'wheels/*.whl' >/dev/null; then
		echo --build-arg PIP_NO_INDEX=1
	fi
}

explain() {
	tail -40 "$output" >&2
	if grep -q -i -E 'ssl|certificate|No matching distribution' "$output"; then
		say "$1: a package index cannot be reached from inside a build;" \
			"for Python's, containers/wheels.sh fetches what is needed from outside"
	fi
}

declare -A seen=()

make_image() {
	local image=knockbox/$1-bot file parent wanted started=$SECONDS
	[ -z "${seen[$1]:-}" ] || return 0
	seen[$1]=yes
	file=$(dockerfile "$1")
	for parent in $(parents "$file"); do make_image "$parent"; done
	wanted=$(fingerprint "$1")
	if [ "$(docker image inspect --format "{{index .Config.Labels \"$label\"}}" "$image" 2>/dev/null)" = "$wanted" ]; then
		say "$image: is here"
		return
	fi
	say "$image: building"
	# shellcheck disable=SC2046 - no words, or two
	if ! docker build --tag "$image" --file "$file" --label "$label=$wanted" $(arguments "$file") . >"$output" 2>&1; then
		explain "$image"
		return 1
	fi
	say "$image: made in $((SECONDS - started)) s"
}

languages=()
for file in containers/*-bot/Dockerfile; do
	name=${file#containers/}
	languages+=("${name%-bot/Dockerfile}")
done
case ${1:-} in
-h | --help)
	sed -n '2,4s/^# //p' "$0"
	exit 0
	;;
esac
for language in "$@"; do
	if [ ! -f "$(dockerfile "$language")" ]; then
		say "there is no image for $language; there are: ${languages[*]}"
		exit 2
	fi
done
[ $# -gt 0 ] || set -- "${languages[@]}"
containers/base-image.sh
for language in "$@"; do make_image "$language"; done
