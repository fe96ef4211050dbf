#!/bin/sh
# Makes knockbox/stubs from proto/: the generator runs in knockbox/go-bot, without network, and
# buf, which the development environment has, reads the files. Running it twice changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
buf=${BUF:-$root/.venv/bin/buf}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in cards rules play; do
  to="${to:-\"paths=source_relative\"}, \"Mknockbox/v1/$name.proto=knockbox/stubs\""
  files="${files:-} --path proto/knockbox/v1/$name.proto"
done
cd "$root"
# shellcheck disable=SC2086 - several words
"$buf" generate $files --template "{\"version\": \"v2\", \"plugins\": [{
  \"local\": [\"docker\", \"run\", \"--rm\", \"--interactive\", \"--network\", \"none\", \"knockbox/go-bot\",
    \"protoc-gen-go\"],
  \"out\": \"$work\", \"opt\": [$to]}]}"
rm -f "$here"/knockbox/stubs/*.pb.go
mv "$work"/knockbox/v1/*.pb.go "$here/knockbox/stubs/"
