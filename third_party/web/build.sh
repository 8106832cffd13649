#!/usr/bin/env bash
# Builds the page into build/web/site. web.sh runs it in a bare Debian 13, where it gets Emscripten,
# the libraries' headers and, as Emscripten compiles those itself, their sources.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
install_packages web

sources="$root/build/web/sources"
debian_sources "$sources" imgui/trixie pcre2/trixie libcsv/trixie utf8proc/bookworm

cd "$root"
for preset in web web-threads; do
  [ -f "build/$preset/build.ninja" ] ||
    emcmake cmake --preset "$preset" -DHEADSCOPE_SOURCES="$sources" >&2
  cmake --build "build/$preset" >&2
done
