#!/usr/bin/env bash
# Runs an installed headscope as a user would: commands, a picture, the window. In a bare Debian that
# packages.sh has made. Usage: try_program.sh <headscope>
set -euo pipefail
program="$1"
work="$(mktemp -d)"
cd "$work"
export LIBGL_ALWAYS_SOFTWARE=1
"$program" --version
"$program" run --text "Birds sing." --trace trace.safetensors >run.txt
[ -s trace.safetensors ]
"$program" render --out picture.png
[ "$(wc -c <picture.png)" -gt 50000 ] || { echo "The picture is empty"; exit 1; }

Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp 3>display 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
until [ -s display ]; do sleep 0.1; done
DISPLAY=":$(cat display)"
export DISPLAY
"$program" --trace window.safetensors &
window=$!
for _ in $(seq 300); do
  id="$(xdotool search --onlyvisible --pid "$window" 2>/dev/null | tail -1 || true)"
  [ -z "$id" ] || break
  sleep 0.1
done
[ -n "$id" ] || { echo "No window"; exit 1; }
xdotool windowfocus --sync "$id"
for _ in $(seq 50); do
  [ ! -s window.safetensors ] || break
  xdotool key --delay 150 ctrl+shift+t
  sleep 0.1
done
[ -s window.safetensors ] || { echo "The window does not answer"; exit 1; }
kill "$window"
echo "It runs: commands, picture, window."
