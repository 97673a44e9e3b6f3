#!/bin/sh
# Prints the folder of a Debian 13 (trixie) root with OpenSSH 10, which it makes when the cache has none: 2 to 4 minutes, once.
# The machine's own Debian 12 has 9.2, which knows no PerSourcePenalties. Needs root, for chroot and debootstrap.
set -eu
cache=${SEATRIAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seatrial}
root=$cache/sshd-trixie
if [ ! -x "$root/usr/sbin/sshd" ]; then
  [ "$(id -u)" = 0 ] || { echo 'making the root needs root: debootstrap uses chroot' >&2; exit 1; }
  command -v debootstrap >/dev/null || { apt-get -q update && apt-get -qy install --no-install-recommends debootstrap; } >&2
  mkdir -p "$cache"
  part=$(mktemp -d "$cache/sshd-part-XXXXXX") # under another name until it is whole
  trap 'rm -rf "$part"' EXIT
  chmod 755 "$part"
  # shellcheck disable=SC2086 # an empty mirror is no argument
  debootstrap --variant=minbase --include=openssh-server,openssh-client trixie "$part" ${SEATRIAL_DEBIAN_MIRROR:-} >&2
  rm -rf "$part"/var/lib/apt/lists/* "$part"/var/cache/apt/*
  mv -T "$part" "$root"
fi
echo "$root"
