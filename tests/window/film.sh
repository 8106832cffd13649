#!/usr/bin/env bash
# A film from the real window, by keyboard: it is written whole, the window takes keys meanwhile, and
# draws on its own surface afterwards. Usage: film.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

film="$work/way.webp"
# Prints how long the film is, in milliseconds, where it is whole.
length_of_film() {
  python3 - "$film" <<'PYTHON'
import sys

data = open(sys.argv[1], "rb").read()
at, length = 12, 0
while at < len(data):
    size = int.from_bytes(data[at + 4 : at + 8], "little")
    if data[at : at + 4] == b"ANMF":
        length += int.from_bytes(data[at + 20 : at + 23], "little")
    at += 8 + size + size % 2
print(length if at == len(data) else "cut off")
PYTHON
}
being_made() { ls "$film".tmp-* >/dev/null 2>&1; }

start
press ctrl+k
xdotool type --delay 60 -- "export a film"
press Return
xdotool type --delay 60 -- "$film"
press Return
until_true "the film to begin" being_made
press Escape
press v  # to Flow, while the film shows the stage
press Escape
press Home
press Down
press Tab
press Tab
press Return
xdotool type --delay 60 -- 0.5
press Return
until_true "an edit beside the film" autosaved weight=0.5
until_true "the film" test -s "$film"
if being_made; then
  echo "The film left a temporary file."
  exit 1
fi
length="$(length_of_film)"
if [ "$length" != 12000 ]; then
  echo "The film is $length ms long, not 12000."
  exit 1
fi
press ctrl+z
until_true "an edit undone after the film" not_autosaved
echo "A film of 12 s is made while a weight is edited."
