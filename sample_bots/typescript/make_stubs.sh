#!/bin/sh
# Makes knockbox/stubs from proto/, with protoc and ts-proto in the first stage of the language's
# image, so that nothing need be installed here. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stubs="$here/knockbox/stubs"
image=knockbox/typescript-stubs

docker build --quiet --target fetch --tag "$image" \
  --file "$root/containers/typescript-bot/Dockerfile" "$root" >/dev/null
rm -f "$stubs"/*.ts
# removeEnumPrefix: Phase.DRAW; oneof: unions that TypeScript can tell apart.
tar -cC "$root/proto" knockbox/v1 | docker run --rm --interactive --network none "$image" sh -c '
  mkdir /proto /made && tar -xC /proto && cd /proto && protoc \
    --plugin=/stubs/node_modules/.bin/protoc-gen-ts_proto --ts_proto_out=/made \
    --ts_proto_opt=forceLong=bigint,oneof=unions-value,esModuleInterop=true,env=node \
    --ts_proto_opt=outputServices=grpc-js,outputJsonMethods=false,outputPartialMethods=false \
    --ts_proto_opt=removeEnumPrefix=true,annotateFilesWithVersion=false \
    knockbox/v1/cards.proto knockbox/v1/rules.proto knockbox/v1/play.proto \
  && tar -cC /made/knockbox/v1 .' | tar -xC "$stubs" --no-same-owner
