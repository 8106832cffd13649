#!/usr/bin/env bash
# Keys that come while the program is stopped, as while it draws one slow frame: each acts once. A
# weight and a pin are edited, undone and done again, all of it between two frames or with a key held
# over a frame of more than a second. Usage: slow_frames.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

# while_stopped <command>...: what it does comes between two frames.
while_stopped() {
  kill -STOP "${pids[1]}"
  "$@"
  kill -CONT "${pids[1]}"
}
edit_weight() {
  press Escape Home Down Tab Tab Return  # lets go of the number it opens on
  xdotool type -- 0.5
  press Return
}
pin_score() {
  press Next Next Escape Down Return
  xdotool type -- 7
  press Return
}

start
press v  # from the stage, on which it opens, to Flow
while_stopped edit_weight
until_true "the edited weight" autosaved weight=0.5 pins=0
while_stopped pin_score
until_true "the pinned score" autosaved weight=0.5 pins=1
while_stopped press ctrl+z
until_true "the pin undone, and it alone" autosaved weight=0.5 pins=0
while_stopped press ctrl+z
until_true "nothing left to save" not_autosaved
while_stopped press ctrl+y ctrl+y
until_true "both done again" autosaved weight=0.5 pins=1
while_stopped press ctrl+z ctrl+z
until_true "both undone" not_autosaved
while_stopped press ctrl+y ctrl+y
until_true "both there once more" autosaved weight=0.5 pins=1
echo "Keys that came within one frame have each acted once."

xdotool keydown ctrl keydown z
until_true "the pin undone by a key that is held" autosaved weight=0.5 pins=0
held_on() {
  xdotool mousemove_relative 1 1
  sleep 1.5
}
while_stopped held_on
rm -f "$trace"
until_true "what comes after the slow frame" traced
xdotool keyup z keyup ctrl
press ctrl+y
until_true "one edit done again, as one was undone" autosaved weight=0.5 pins=1
echo "A key that is held over a slow frame has acted once."
