#!/bin/sh
# Makes knockbox/stubs from proto/, inside the image knockbox/cpp-bot and without network. The stubs
# belong to its protobuf, 3.21. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stubs="$here/knockbox/stubs"

rm -rf "$stubs"
mkdir "$stubs"
tar -c -C "$here/../../proto" knockbox/v1 |
  docker run --rm --interactive --network none knockbox/cpp-bot sh -euc '
    mkdir /proto /made
    tar -x -C /proto --no-same-owner
    cd /proto
    protoc --cpp_out=/made --grpc_out=/made --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin \
      knockbox/v1/cards.proto knockbox/v1/rules.proto knockbox/v1/play.proto
    # Services are in play.proto alone.
    rm /made/knockbox/v1/cards.grpc.* /made/knockbox/v1/rules.grpc.*
    tar -c -C /made .' | tar -x -C "$stubs" --no-same-owner
