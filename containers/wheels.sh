#!/usr/bin/env bash
# Fetches into wheels/ what the images need from Python's package index, for machines whose builds
# cannot reach it (no network inside, or an authority of certificates that only the host trusts).
# Elsewhere wheels/ stays empty, and pip fetches the same inside the build.
# PIP_NO_INDEX=1 for docker build then says that nothing else is looked for.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

requirements() {
	"$python" - <<'PYTHON'
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
print(*project["project"]["dependencies"], *project["build-system"]["requires"], sep="\n")
PYTHON
}

stamp=wheels/.requirements
wanted=$(requirements)
if [ -f "$stamp" ] && [ "$wanted" = "$(cat "$stamp")" ]; then
	echo "wheels/: is complete" >&2
	exit 0
fi
find wheels -name '*.whl' -delete
mapfile -t packages <<<"$wanted"
case $(uname -m) in
aarch64 | arm64) machine=aarch64 ;;
*) machine=x86_64 ;;
esac
# Debian trixie's Python; both names of a platform, since packages use the one or the other.
"$python" -m pip download --quiet --disable-pip-version-check --dest wheels \
	--python-version 3.13 --implementation cp --abi cp313 --abi abi3 --abi none \
	--platform "manylinux_2_28_$machine" --platform "manylinux_2_17_$machine" \
	--platform "manylinux2014_$machine" --only-binary=:all: "${packages[@]}"
printf '%s\n' "$wanted" >"$stamp"
echo "wheels/: $(find wheels -name '*.whl' | wc -l) wheels fetched" >&2
