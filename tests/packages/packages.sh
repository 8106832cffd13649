#!/usr/bin/env bash
# Makes the packages and tries each in a bare Debian that never saw a compiler: installs it, looks at
# all that it brings, opens the window, removes it without a trace; unpacks the archive and runs it,
# on a desktop and where no package is installed.
# Needs root and some 20 minutes; ./test.sh --all calls it. Usage: packages.sh [bookworm|trixie ...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
if [ "$(id -u)" -ne 0 ]; then exec sudo "$0" "$@"; fi
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie)
"$root/package.sh" "${suites[@]}"

# ready <suite> <name> <package>...: a system with these packages and no others; its folder.
ready() {
  local suite="$1" folder
  folder="$(bare_system "$suite" "$2")"
  shift 2
  if [ ! -f "$folder/desktop" ]; then
    in_system "$folder" sh -c "apt-get -qq update &&
      apt-get -qq install --yes --no-install-recommends -o Dpkg::Options::=--force-confold \
        $* >/dev/null"
    touch "$folder/desktop"
  fi
  printf '%s\n' "$folder"
}
# unpack_archive <system>: into a folder whose name has a space.
unpack_archive() {
  rm -rf "$1/any folder"
  mkdir "$1/any folder"
  tar -x -C "$1/any folder" --strip-components=1 \
    -f "$root"/build/packages/headscope-*-linux-x86_64.tar.xz
}
on_a_desktop="xvfb xdotool libgl1 libegl1 libgl1-mesa-dri"
for suite in "${suites[@]}"; do
  number=12
  [ "$suite" = bookworm ] || number=13
  # shellcheck disable=SC2086
  folder="$(ready "$suite" deb $on_a_desktop man-db lintian appstream desktop-file-utils \
    shared-mime-info bash-completion)"
  cp "$root"/build/packages/headscope_*deb"$number"_*.deb "$folder/headscope.deb"
  cp "$root"/build/packages/python3-headscope_*deb"$number"_*.deb "$folder/python3-headscope.deb"
  cp "$root"/tests/packages/try_*.sh "$folder/"
  in_system "$folder" bash /try_deb.sh
  # shellcheck disable=SC2086
  folder="$(ready "$suite" archive $on_a_desktop)"
  cp "$root/tests/packages/try_program.sh" "$folder/"
  unpack_archive "$folder"
  in_system "$folder" bash /try_program.sh "/any folder/headscope"
  # a copy, as its test installs what the program names
  bare="$(bare_system "$suite" bare)"
  rm -rf "$bare-tried"
  cp -a "$bare" "$bare-tried"
  cp "$root/tests/packages/try_bare.sh" "$bare-tried/"
  unpack_archive "$bare-tried"
  in_system "$bare-tried" bash /try_bare.sh "/any folder/headscope"
  rm -rf "$bare-tried"
done
say "The packages hold."
