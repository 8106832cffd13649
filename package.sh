#!/usr/bin/env bash
# Makes the packages that people install, each in a bare Debian of its own, into build/packages:
#   ./package.sh            all of them
#   ./package.sh bookworm   Debian 12's .deb, and the archive for any Linux with glibc 2.36 or newer
#   ./package.sh trixie     Debian 13's .deb
# What is packaged is the last commit. Needs root (or sudo), for debootstrap and chroot.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie)
for suite in "${suites[@]}"; do
  case "$suite" in
    bookworm | trixie) ;;
    *)
      say "package.sh: it takes bookworm and trixie, and not: $suite"
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

for suite in "${suites[@]}"; do
  inside="$(bare_system "$suite" build)"
  rm -rf "$inside/headscope"
  mkdir "$inside/headscope"
  git -C "$root" archive HEAD | tar -x -C "$inside/headscope"
  say "Packaging for $suite, in $inside"
  in_system "$inside" /headscope/app/desktop/make_packages.sh "$commit"
  cp "$inside"/headscope/build/packages/* "$packages/"
  chown --reference="$root" "$packages"/*
done
ls -l "$packages" >&2
