#!/bin/sh
# Makes knockbox/v1 from proto/, with protoc in the first stage of the language's image, so that
# nothing need be installed here. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stubs="$here/knockbox/v1"
image=knockbox/java-stubs

docker build --quiet --target fetch --tag "$image" \
  --file "$root/containers/java-bot/Dockerfile" "$root" >/dev/null
rm -f "$stubs"/*.java
# lite: messages that start faster, without reflection.
tar -cC "$root/proto" knockbox/v1 | docker run --rm --interactive --network none "$image" sh -c '
  mkdir /proto /made && tar -xC /proto && cd /proto && protoc --java_out=lite:/made \
    knockbox/v1/cards.proto knockbox/v1/rules.proto knockbox/v1/play.proto \
  && tar -cC /made/knockbox/v1 .' | tar -xC "$stubs" --no-same-owner
