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

headscope="$root/build/release/headscope"

# Without a display: what the window would open on, as a picture and as a summary.
draw_instead() {
  say "No display here (DISPLAY and WAYLAND_DISPLAY are empty): drawing headscope.png instead of"
  say "opening the window, and printing the summary."
  local -a look=() pass=() trace=() weights=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --theme | --scale | --shader-dir) look+=("${@:1:2}") && shift ;;
      --theme=* | --scale=* | --shader-dir=*) look+=("$1") ;;
      --trace) trace+=("${@:1:2}") && shift ;;
      --trace=*) trace+=("$1") ;;
      *) pass+=("$1") ;;
    esac
    shift $(($# > 0))
  done
  # The window opens on designed heads where no flag says where weights come from.
  case " ${pass[*]} " in
    *" --init"* | *" --seed"* | *" --weights"* | *" --input"* | *" --session"* | *"by-hand"*) ;;
    *) weights+=(--init designed) ;;
  esac
  "$headscope" render --out headscope.png "${look[@]}" "${pass[@]}" "${weights[@]}"
  if [ ${#pass[@]} -eq 0 ] && [ ${#trace[@]} -eq 0 ]; then
    exec "$headscope" info
  fi
  exec "$headscope" run "${pass[@]}" "${weights[@]}" "${trace[@]}"
}

if [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
  case "${1:---}" in
    -h | --help | --version) ;;
    -*) draw_instead "$@" ;;
  esac
fi
exec "$headscope" "$@"
