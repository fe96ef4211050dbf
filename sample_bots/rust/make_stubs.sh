#!/bin/sh
# Makes knockbox/src/stubs.rs from proto/, inside the image knockbox/rust-bot and with network: stub_maker
# and protoc are fetched there. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tar -c -C "$here/../.." proto -C "$here" stub_maker |
  docker run --rm --interactive knockbox/rust-bot sh -euc '
    tar -x --no-same-owner
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends protobuf-compiler >/dev/null
    cd stub_maker
    cargo run --quiet --locked -- /bot/proto /bot >&2
    cat /bot/knockbox.v1.rs' > "$work/stubs.rs"

{
  echo "// Generated from proto/ by make_stubs.sh; do not edit."
  cat "$work/stubs.rs"
} > "$here/knockbox/src/stubs.rs"
