#!/usr/bin/env bash
# Makes the packages that people install, each in a bare Debian of its own, into build/packages:
#   ./package.sh            those for Linux
#   ./package.sh bookworm   Debian 12's .deb, and the archive for any Linux with glibc 2.36 or newer
#   ./package.sh trixie     Debian 13's .deb
#   ./package.sh --windows  the archive and the installer for Windows, compiled in a Debian 13
# What is packaged is the last commit. Needs root (or sudo), for debootstrap and chroot.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"
wanted=("$@")
[ $# -gt 0 ] || wanted=(bookworm trixie)
for each in "${wanted[@]}"; do
  case "$each" in
    bookworm | trixie | --windows) ;;
    *)
      say "package.sh: it takes bookworm, trixie and --windows, and not: $each"
      exit 2
      ;;
  esac
done
if [ "$(id -u)" -ne 0 ]; then exec sudo "$0" "$@"; fi
install_packages package

packages="$root/build/packages"
mkdir -p "$packages"
commit="$(git -C "$root" rev-parse --short=10 HEAD)"
[ -z "$(git -C "$root" status --porcelain)" ] ||
  say "Not all is committed: what is packaged is commit $commit."

for each in "${wanted[@]}"; do
  case "$each" in
    --windows)
      inside="$(bare_system trixie windows)"
      make=app/windows/make_package.sh
      ;;
    *)
      inside="$(bare_system "$each" build)"
      make=app/desktop/make_packages.sh
      ;;
  esac
  rm -rf "$inside/headscope"
  mkdir "$inside/headscope"
  git -C "$root" archive HEAD | tar -x -C "$inside/headscope"
  say "Packaging in $inside"
  in_system "$inside" "/headscope/$make" "$commit"
  cp "$inside"/headscope/build/packages/* "$packages/"
  chown --reference="$root" "$packages"/*
done
ls -l "$packages" >&2
