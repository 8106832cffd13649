#!/usr/bin/env bash
# A picture of the real window on the clipboard: another program reads it as a PNG file, and it stays
# until something else is copied. Usage: copy.sh <headscope>
program="$1"
source "$(dirname "${BASH_SOURCE[0]}")/window.sh"

copied="$work/copied.png"
# Reads the clipboard as a program that pastes does; succeeds where a PNG file comes.
pasted() {
  timeout 5 xclip -selection clipboard -t image/png -o >"$copied" 2>/dev/null &&
    [ "$(head -c 8 "$copied" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
}

start
press ctrl+k
xdotool type --delay 60 -- "copy a picture"
press Return
until_true "a picture on the clipboard" pasted
if [ "$(tail -c 8 "$copied" | od -An -tx1 | tr -d ' \n')" != 49454e44ae426082 ]; then
  echo "The copied picture is cut off: it has $(wc -c <"$copied") bytes."
  exit 1
fi
pasted || { echo "The picture can be pasted once only."; exit 1; }
echo something else | xclip -selection clipboard -in
if pasted; then
  echo "The picture is still on the clipboard after something else was copied."
  exit 1
fi
echo "A picture of the window is pasted by another program."
