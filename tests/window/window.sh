# The real window on a virtual display, for the tests that drive it: sourced by them, with $program
# set. Gives start, press, until_true, and a folder $work that goes away at the end. Nothing depends
# on how fast the machine is.
set -euo pipefail

here="$(dirname "${BASH_SOURCE[0]}")"
# Seconds; ends a wait that hangs. A machine that also builds needs minutes where others need seconds.
patience="${HEADSCOPE_TEST_PATIENCE:-900}"
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
    echo "--- last look at what it saved:"
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
  local what="$1" deadline=$((SECONDS + patience))
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

press() { xdotool key "$@"; }

# Without -noreset it would begin anew where its only program ends, and take nobody in meanwhile.
# With -r no key repeats, however late xdotool lets go of it.
Xvfb -displayfd 3 -noreset -r -screen 0 "${HEADSCOPE_TEST_SCREEN:-1600x1000}x24" -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
pids+=($!)
until_true "the virtual display" test -s "$work/display"
DISPLAY=":$(cat "$work/display")"
export DISPLAY
unset WAYLAND_DISPLAY

window_shown() {
  window="$(xdotool search --onlyvisible --pid "${pids[1]}" 2>/dev/null | tail -1)"
  [ -n "$window" ]
}
# traced: whether there is a trace; asks for one now and then, as before its first pass the program
# takes no keys.
asked=-10
traced() {
  if [ $((SECONDS - asked)) -ge 3 ]; then
    asked=$SECONDS
    press ctrl+shift+t
  fi
  [ -s "$trace" ]
}
# autosave: the file of the unsaved session, which the program writes within a second of each change.
# autosaved: tests it with check_session.py and the given arguments.
autosave() { ls "$work"/headscope/autosave-*.headscope.json 2>/dev/null | head -1; }
autosaved() {
  local file
  file="$(autosave)"
  [ -n "$file" ] && python3 "$here/check_session.py" "$file" "$@" >"$work/check.log" 2>&1
}
not_autosaved() { [ -z "$(autosave)" ]; }

# start [file]: opens the file. What is not saved is kept in the test's own folder.
start() {
  rm -f "$trace"
  XDG_STATE_HOME="$work" LIBGL_ALWAYS_SOFTWARE=1 "$program" --trace "$trace" "$@" \
    >"$work/program.log" 2>&1 &
  pids[1]=$!
  until_true "the window" window_shown
  xdotool windowfocus --sync "$window" mousemove --window "$window" 10 10
  until_true "the trace of its first pass" traced
}
