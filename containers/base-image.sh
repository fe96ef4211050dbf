#!/usr/bin/env bash
# Makes the one foreign base image, debian:trixie-slim, where it is neither here nor can be pulled:
# from Debian's packages, out of the mirror that this machine's own apt uses. Needs mmdebstrap then.
# Running it again changes nothing.
set -euo pipefail
image=debian:trixie-slim
cas=/usr/local/share/ca-certificates

say() { printf '%s: %s\n' "$image" "$*" >&2; }

present() { docker image inspect "$image" >/dev/null 2>&1; }

# apt's first mirror of Debian itself; empty where this machine is no Debian: mmdebstrap knows one.
mirror() {
	command -v apt-get >/dev/null || return 0
	apt-get indextargets --no-release-info \
		--format '$(IDENTIFIER) $(COMPONENT) $(REPO_URI)' 2>/dev/null |
		awk '$1 == "Packages" && $2 == "main" && $NF ~ /\/debian\/?$/ { print $NF; exit }'
}

# What apt downloads is not kept in layers of images: the published image has the same settings.
clean='Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache ""; Acquire::GzipIndexes "true";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };'

# The whole file system as a tar on stdout. Man pages, documentation and languages stay away, as in
# the image that Debian publishes; authorities of certificates that this machine trusts come along.
root_file_system() {
	local options=(--variant=minbase --include=ca-certificates --format=tar --quiet)
	local path
	for path in man doc info locale; do
		options+=(--dpkgopt="path-exclude=/usr/share/$path/*")
	done
	options+=(--dpkgopt='path-include=/usr/share/doc/*/copyright')
	options+=(--aptopt='Acquire::Languages "none"')
	export clean
	options+=(--customize-hook='printf "%s\n" "$clean" >"$1/etc/apt/apt.conf.d/docker-clean"')
	options+=(--customize-hook='rm -f "$1"/var/cache/apt/*.bin')
	if compgen -G "$cas/*.crt" >/dev/null; then
		options+=(--customize-hook="copy-in $cas /usr/local/share")
		options+=(--customize-hook='chroot "$1" update-ca-certificates >/dev/null 2>&1')
	fi
	mmdebstrap "${options[@]}" trixie - "$@"
}

if present; then
	say "is here"
	exit 0
fi
if ! docker version >/dev/null 2>&1; then
	say "no container engine answers; containers/engine.sh start starts one"
	exit 1
fi
say "pulling"
if timeout "${KNOCKBOX_PULL_S:-300}" docker pull --quiet "$image" >/dev/null 2>&1; then
	say "pulled"
	exit 0
fi
if ! command -v mmdebstrap >/dev/null; then
	say "cannot be pulled, and mmdebstrap is not here to make it (Debian, Ubuntu: apt-get install mmdebstrap)"
	exit 1
fi
from=$(mirror)
say "cannot be pulled; made from Debian's packages ${from:+at $from }(about a minute)"
started=$SECONDS
# Through a file: of a pipe that breaks off, half an image would be imported.
archive=$(mktemp --suffix=.tar)
trap 'rm -f "$archive"' EXIT
root_file_system ${from:+"$from"} >"$archive"
docker import --change 'CMD ["bash"]' \
	--change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
	--change "LABEL knockbox.made-by=$(sha256sum <"$0" | cut -c1-16)" \
	--message 'made by mmdebstrap' "$archive" "$image" >/dev/null
say "made in $((SECONDS - started)) s"
