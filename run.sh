#!/usr/bin/env bash
# Installs what is missing, builds headscope and starts it. Arguments go to the program.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"

install_packages build
# Tests need packages of their own: test.sh turns them on, and they stay on.
if [ -n "$installed_any" ] || [ ! -f "$root/build/release/build.ninja" ]; then
  configure release -DHEADSCOPE_TESTS=OFF
fi
build release headscope

exec "$root/build/release/headscope" "$@"
