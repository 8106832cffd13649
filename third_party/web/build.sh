#!/usr/bin/env bash
# Builds the page into build/web/site. web.sh runs it in a bare Debian 13, where it gets Emscripten,
# the libraries' headers and, as Emscripten compiles those itself, their sources.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
install_packages web

sources="$root/build/web/sources"
if [ ! -f "$sources/complete" ]; then
  rm -rf "$sources"
  mkdir -p "$sources"
  mirror="$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)"
  printf "deb-src $mirror %s main\n" trixie bookworm >/etc/apt/sources.list.d/sources.list
  apt-get -qq update >&2
  # upstream's archives as Debian keeps them, each from the suite that has it
  for source in imgui/trixie pcre2/trixie libcsv/trixie utf8proc/bookworm; do
    (cd "$sources" && apt-get -qq -o APT::Sandbox::User=root source --download-only --tar-only "$source" >&2)
  done
  for archive in "$sources"/*.tar.*; do tar -xf "$archive" -C "$sources"; done
  touch "$sources/complete"
fi

cd "$root"
for preset in web web-threads; do
  [ -f "build/$preset/build.ninja" ] ||
    emcmake cmake --preset "$preset" -DHEADSCOPE_SOURCES="$sources" >&2
  cmake --build "build/$preset" >&2
done
