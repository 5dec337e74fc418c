#!/usr/bin/env bash
# Builds the image without a daemon and holds a call in it, as root on Debian: buildah with chroot
# isolation, on a base image made by debootstrap in the place of the one that the Dockerfile names.
# Where those two cannot be installed it says so and ends well; whatever fails after that is a failure.
#   tests/container/run.sh [PYTHON]     PYTHON has the package and websockets, for the caller's side
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-.venv/bin/python}
work=$(mktemp -d /var/tmp/jev-container.XXXXXX)
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=chroot
builder=(buildah --root "$work/store" --runroot "$work/run")

clean() {
  "${builder[@]}" rm --all >/dev/null 2>&1 || true
  "${builder[@]}" umount --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean EXIT

not_here() {
  printf 'container: NOT BUILT HERE: %s\n' "$1"
  exit 0
}

[ "$(id -u)" = 0 ] || not_here "chroot isolation needs root"
if ! command -v buildah >/dev/null || ! command -v debootstrap >/dev/null; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends buildah debootstrap; } >"$work/apt.log" 2>&1 ||
    not_here "buildah and debootstrap cannot be installed: $(tail -n 1 "$work/apt.log")"
fi
echo "container: $(buildah --version), storage $STORAGE_DRIVER, isolation $BUILDAH_ISOLATION"

debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv \
  bookworm "$work/root" http://deb.debian.org/debian >"$work/base.log" 2>&1 ||
  not_here "no base image: $(tail -n 1 "$work/base.log")"
base=$("${builder[@]}" from scratch)
tar -C "$work/root" -cf "$work/root.tar" . && rm -rf "$work/root"
"${builder[@]}" add --quiet "$base" "$work/root.tar" / >/dev/null
"${builder[@]}" commit --quiet "$base" localhost/base >/dev/null
"${builder[@]}" rm "$base" >/dev/null
rm "$work/root.tar"
echo "container: base image made after $SECONDS s"

# The machine's own certificates and pip settings, so that a mirror of packages works.
lent=(-v /etc/ssl/certs:/etc/ssl/certs:ro)
[ ! -f /etc/pip.conf ] || lent+=(-v /etc/pip.conf:/etc/pip.conf:ro)
"${builder[@]}" bud --quiet --format docker --pull-never --build-arg BASE=localhost/base \
  "${lent[@]}" --tag jev-turn . >"$work/build.log" 2>&1 ||
  { cat "$work/build.log"; echo "container: the build failed"; exit 1; }
"${builder[@]}" images --format 'container: image {{.Name}} of {{.Size}}' jev-turn
echo "container: built after $SECONDS s"

name=$("${builder[@]}" from --pull-never localhost/jev-turn)
"$python" tests/container/check.py "${builder[@]}" -- "$name"
echo "container: checked after $SECONDS s"
