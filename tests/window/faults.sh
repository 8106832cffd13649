#!/usr/bin/env bash
# Faults of a display, in the real window: none, one that does not answer, OpenGL below
# 3.3, none at all, a window of no size, one that is hidden, a server that ends. Usage:
# faults.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# refused <words> <variable=value>...: the bare command ends with status 2 and these words.
refused() {
  local words="$1" status=0
  shift
  env "$@" XDG_STATE_HOME="$work" LIBGL_ALWAYS_SOFTWARE=1 timeout "$patience" "$program" \
    >"$work/program.log" 2>&1 || status=$?
  [ "$status" -eq 2 ] || { echo "Status $status where 2 was due: $*"; exit 1; }
  grep -q "^headscope: .*$words.*headscope render" "$work/program.log" || {
    echo "Not said ($*): $words"
    exit 1
  }
}
refused "no display to open a window on" DISPLAY=:98765
refused "no display to open a window on" DISPLAY=nonsense
refused "the driver here offers OpenGL 2.1" MESA_GL_VERSION_OVERRIDE=2.1
refused "the driver here offers OpenGL 3.2" MESA_GL_VERSION_OVERRIDE=3.2
refused "the driver here offers no OpenGL" GALLIUM_DRIVER=nonexistent
echo "Without a display or OpenGL 3.3 it says so."

# ticks: processor time that the program has taken.
ticks() { awk '{print $14 + $15}' "/proc/${pids[1]}/stat"; }
works() {
  rm -f "$trace"
  until_true "a trace, $1" traced
}
start
works "at first"
for size in "1 1" "3 700" "1600 2"; do
  # shellcheck disable=SC2086
  xdotool windowsize "$window" $size
  xdotool mousemove --window "$window" 0 0
done
xdotool windowsize --sync "$window" 1200 800
works "after windows of hardly any size"
xdotool windowunmap --sync "$window"
# the frame that was under way may end; from then on it takes nothing
rests() {
  local before busy
  before="$(ticks)"
  sleep 2
  busy=$(($(ticks) - before))
  echo "Hidden, it took $busy ticks of 200" >"$work/check.log"
  [ "$busy" -le 2 ]
}
until_true "its rest while it is hidden" rests
xdotool windowmap --sync "$window"
xdotool windowfocus --sync "$window"
works "after it was hidden"
echo "It takes any size, and rests while it is hidden."

# the server ends: so does the program, and what was not saved is there at the next start
press ctrl+e
xdotool type --delay 30 "Seven small birds sing"
press Return
autosaved() { grep -q "Seven small birds sing" "$work"/headscope/autosave-*.headscope.json 2>/dev/null; }
until_true "the autosave" autosaved
kill "${pids[0]}"
status=0
wait "${pids[1]}" || status=$?
[ "$status" -eq 1 ] || { echo "Status $status where 1 was due"; exit 1; }
autosaved || { echo "The autosave went with the display"; exit 1; }
echo "Where the display goes, what was not saved stays."
