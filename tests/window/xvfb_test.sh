#!/usr/bin/env bash
# Opens the real window on a virtual display, types a sentence into it, finds it in the trace that
# the window saves, kills the program and restores it. Usage: xvfb_test.sh <headscope>
set -euo pipefail

program="$1"
here="$(dirname "${BASH_SOURCE[0]}")"
deadline=$((SECONDS + 60))
for tool in Xvfb xdotool python3; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing: ./test.sh installs it (third_party/packages.txt)."
    exit 1
  }
done

work="$(mktemp -d)"
trace="$work/trace.safetensors"
pids=()
finish() {
  local status=$?
  if [ "$status" -ne 0 ]; then
    echo "--- output of the program:"
    cat "$work/program.log" 2>/dev/null || true
    echo "--- last look at the trace:"
    cat "$work/check.log" 2>/dev/null || true
  fi
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

# until_true <what> <command>...: polls; fails with <what> when time is up or the program ended.
until_true() {
  local what="$1"
  shift
  until "$@"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "Time is up, waiting for: $what"
      exit 1
    fi
    if [ ${#pids[@]} -gt 1 ] && ! kill -0 "${pids[1]}" 2>/dev/null; then
      echo "The program ended, waiting for: $what"
      exit 1
    fi
    sleep 0.1
  done
}

# Keys are held as long as a hand would: a key up before the next frame could be missed.
press() { xdotool key --delay 150 "$1"; }

# Saves, and looks whether the trace holds these words.
saved_with() {
  press ctrl+shift+t
  [ -s "$trace" ] && python3 "$here/check_trace.py" "$trace" "$@" >"$work/check.log" 2>&1
}

Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
pids+=($!)
until_true "the virtual display" test -s "$work/display"
DISPLAY=":$(cat "$work/display")"
export DISPLAY
unset WAYLAND_DISPLAY

window_shown() {
  window="$(xdotool search --onlyvisible --pid "${pids[1]}" 2>/dev/null | tail -1)"
  [ -n "$window" ]
}
# What is not saved is kept in the test's own folder.
start() {
  XDG_STATE_HOME="$work" LIBGL_ALWAYS_SOFTWARE=1 "$program" --trace "$trace" \
    >"$work/program.log" 2>&1 &
  pids[1]=$!
  until_true "the window" window_shown
  xdotool windowfocus --sync "$window" mousemove --window "$window" 10 10
}
start

until_true "a trace of the first sentence" saved_with The cat sat on the mat
press ctrl+e
xdotool type --delay 30 "Seven small birds sing"
press Return
until_true "a trace of the typed sentence" saved_with Seven small birds sing
echo "The trace holds the typed sentence."

autosaved() {
  grep -q "Seven small birds sing" "$work"/headscope/autosave-*.headscope.json 2>/dev/null
}
until_true "the autosave" autosaved
kill -9 "${pids[1]}"
wait "${pids[1]}" 2>/dev/null || true
rm -f "$trace"
start
until_true "a trace of the first sentence again" saved_with The cat sat on the mat
press r
until_true "a trace of the restored sentence" saved_with Seven small birds sing
echo "What was not saved is restored after a kill."
