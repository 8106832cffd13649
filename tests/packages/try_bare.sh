#!/usr/bin/env bash
# Runs the archive's headscope where nothing is installed: commands work, and what draws names the
# packages that it lacks; with these it draws. In a bare Debian that packages.sh has made. Usage:
# try_bare.sh <headscope>
set -euo pipefail
program="$1"
work="$(mktemp -d)"
cd "$work"
export LIBGL_ALWAYS_SOFTWARE=1
unset DISPLAY WAYLAND_DISPLAY
"$program" --version
"$program" run --text "Birds sing." --trace trace.safetensors >run.txt
[ -s trace.safetensors ]
"$program" info >info.txt
"$program" explain --step score --row 1 --text "Birds sing." >explain.txt
"$program" analyze --text "Birds sing." >analyze.txt

# lacks <libraries> <command>...: status 2, and a sentence that names them and packages.
lacks() {
  local libraries="$1" status=0
  shift
  "$@" 2>error || status=$?
  if [ "$status" -ne 2 ] || ! grep -q "^headscope: .*$libraries.*apt install" error; then
    cat error
    echo "Status $status; not named: $libraries ($*)"
    exit 1
  fi
}
install_named() {
  # shellcheck disable=SC2046
  apt-get -qq install --yes --no-install-recommends \
    $(sed -nE 's/.*apt install ([^)]*)\).*/\1/p' error) >/dev/null
}
lacks "libX11.so.6 and libGL.so.1, which are not installed" env DISPLAY=:0 "$program"
lacks "libEGL.so.1 and libGL.so.1, which are not installed" "$program"
lacks "libEGL.so.1 and libGL.so.1, which are not installed" "$program" render --out picture.png
[ ! -e picture.png ] || { echo "Something was drawn"; exit 1; }

apt-get -qq update
install_named
"$program" render --out picture.png
[ "$(wc -c <picture.png)" -gt 50000 ] || { echo "The picture is empty"; exit 1; }
status=0
DISPLAY=:98765 "$program" 2>error || status=$?
[ "$status" -eq 2 ] && grep -q "^headscope: no display to open a window on" error
echo "Without any package it computes; it names what it needs to draw."
