#!/usr/bin/env bash
# Types a sentence into the real window and saves the session, NAME.headscope.json. One that is
# already there is opened first. Usage: save_session.sh <headscope> <path of NAME> <sentence>
program="$1"
session="$2"
sentence="$3"
source "$(dirname "${BASH_SOURCE[0]}")/../window/window.sh"

holds_sentence() { grep -q "$sentence" "$1" 2>/dev/null; }
autosaved() { [ -n "$(autosave)" ] && holds_sentence "$(autosave)"; }

opened=
[ ! -e "$session.headscope.json" ] || opened="$session.headscope.json"
start ${opened:+"$opened"}
press ctrl+e
xdotool type --delay 60 -- "$sentence"
press Return
until_true "the autosave of the sentence" autosaved
press ctrl+s
if [ -z "$opened" ]; then
  xdotool type --delay 60 -- "$session"
  press Return
fi
until_true "the saved session" holds_sentence "$session.headscope.json"
echo "The session holds: $sentence"
