#!/usr/bin/env bash
# Runs an installed headscope as a user would: commands, a picture, a figure, the window. In a bare
# Debian that packages.sh has made. Usage: try_program.sh <headscope>
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
"$program" render --view heads --out figure.pdf
[ "$(wc -c <figure.pdf)" -gt 50000 ] || { echo "The figure is empty"; exit 1; }

Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp 3>display 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
until [ -s display ]; do sleep 0.1; done
DISPLAY=":$(cat display)"
export DISPLAY
"$program" --trace window.safetensors &
window=$!
# as long as it takes: the test that calls this has a limit
runs() { kill -0 "$window" 2>/dev/null || { echo "It has ended: $1"; exit 1; }; }
id=
until [ -n "$id" ]; do
  runs "no window"
  sleep 0.1
  id="$(xdotool search --onlyvisible --pid "$window" 2>/dev/null | tail -1 || true)"
done
xdotool windowfocus --sync "$id"
until [ -s window.safetensors ]; do
  runs "the window does not answer"
  xdotool key ctrl+shift+t
  sleep 3
done
kill "$window"
echo "It runs: commands, picture, figure, window."
