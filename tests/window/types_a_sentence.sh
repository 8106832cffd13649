#!/usr/bin/env bash
# Opens the real window on a virtual display, types a sentence into it, finds it in the trace that
# the window saves, kills the program and restores it. Usage: types_a_sentence.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# Tests that a trace holds these words.
saved_with() {
  traced && python3 "$here/check_trace.py" "$trace" "$@" >"$work/check.log" 2>&1
}

# The sentence on which the program opens.
first=(The cat , which was very fluffy , slept by the warm fire .)

start

until_true "a trace of the first sentence" saved_with "${first[@]}"
press ctrl+e
xdotool type --delay 2 "Seven small birds sing"  # faster than frames are drawn
press Return
until_true "a trace of the typed sentence" saved_with Seven small birds sing
echo "The trace holds the typed sentence."

autosaved() {
  grep -q "Seven small birds sing" "$work"/headscope/autosave-*.headscope.json 2>/dev/null
}
until_true "the autosave" autosaved
kill -9 "${pids[1]}"
wait "${pids[1]}" 2>/dev/null || true
start
until_true "a trace of the first sentence again" saved_with "${first[@]}"
press ctrl+shift+r
until_true "a trace of the restored sentence" saved_with Seven small birds sing
echo "What was not saved is restored after a kill."
