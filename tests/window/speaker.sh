#!/usr/bin/env bash
# The speaker's window: F10 opens it beside the first, and the same keys work in it.
# Usage: speaker.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

speaker() { xdotool search --onlyvisible --name "headscope: speaker" 2>/dev/null | tail -1; }
speaker_shown() { [ -n "$(speaker)" ]; }
speaker_gone() { ! speaker_shown; }

start
press F10
until_true "the speaker's window" speaker_shown
xdotool windowfocus --sync "$(speaker)"
press F10
until_true "the speaker's window to close by its own key" speaker_gone
press F10
until_true "the speaker's window once more" speaker_shown
kill -0 "${pids[1]}"
echo "The speaker's window opens and closes, by keys in either window."
