#!/usr/bin/env bash
# A lecture in the real window, by keyboard: edits a weight, pins a score, undoes both and does them
# again, plays, saves, changes more, is killed, and restores. Usage: walk.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

saved() { python3 "$here/check_session.py" "$work/lecture.headscope.json" "$@" >"$work/check.log" 2>&1; }
type_value() {
  press Return
  xdotool type --delay 60 -- "$1"
  press Return
}

start
press v  # from the stage, on which it opens, to Flow
press Escape  # lets go of the number it opens on
press Home
press Down
press Tab
press Tab
type_value 0.5
until_true "the edited weight" autosaved weight=0.5 pins=0
press Next
press Next
press Escape
press Down
type_value 7
until_true "the pinned score" autosaved weight=0.5 pins=1
press ctrl+z
press ctrl+z
until_true "both undone, nothing left to save" not_autosaved
press ctrl+y
press ctrl+y
until_true "both done again" autosaved weight=0.5 pins=1 step=score
echo "A weight and a pin are edited, undone and done again."

press Escape
press space
# On a busy machine it is saved less often than a step is played.
until_true "the play to reach a later step" autosaved past=score
press space
press Escape
press Home
press Next
press Next
press Next
until_true "the scale step, whichever the play had reached" autosaved step=scale
echo "It plays."

press ctrl+s
xdotool type --delay 60 -- "$work/lecture"
press Return
until_true "the saved session" saved weight=0.5 pins=1
press Escape
press Down
type_value 2
until_true "another pin" autosaved weight=0.5 pins=2
kill -9 "${pids[1]}"
wait "${pids[1]}" 2>/dev/null || true
saved weight=0.5 pins=1
start
press ctrl+shift+r
until_true "the restored session" autosaved weight=0.5 pins=2
press ctrl+s
until_true "the restored session saved in its own file" saved weight=0.5 pins=2
echo "Killed after a save, it gives back the saved session and what came after it."
