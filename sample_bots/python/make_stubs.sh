#!/bin/sh
# Makes knockbox_sdk/stubs from proto/: grpcio-tools 1.72 in an environment of its own (.venv-stubs),
# since what it writes loads on protobuf 6.30 and newer, and since it cannot share an environment
# with protobuf 7. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
env="$root/.venv-stubs"
stubs="$here/knockbox_sdk/stubs"

if [ ! -x "$env/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$env"
  # setuptools: grpc_tools 1.72 reads its own files through pkg_resources.
  "$env/bin/pip" install --quiet "grpcio-tools==1.72.2" "setuptools<81"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$env/bin/python" -m grpc_tools.protoc -I"$root/proto" \
  --python_out="$work" --pyi_out="$work" --grpc_python_out="$work" \
  knockbox/v1/cards.proto knockbox/v1/rules.proto knockbox/v1/play.proto

rm -f "$stubs"/*_pb2*
for name in cards_pb2.py cards_pb2.pyi rules_pb2.py rules_pb2.pyi play_pb2.py play_pb2.pyi \
  play_pb2_grpc.py; do
  # Relative imports: the folder works wherever it is copied.
  sed 's/^from knockbox\.v1 import /from . import /' "$work/knockbox/v1/$name" > "$stubs/$name"
done
printf '"""Generated from proto/ by make_stubs.sh; do not edit."""\n' > "$stubs/__init__.py"
