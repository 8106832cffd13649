#!/usr/bin/env bash
# Tries headscope for Windows under Wine, on what windows.sh has put into /try: the tests of the
# engine and the command line, the archive as a user would, the window as tests/window do, the
# installer. In a bare Debian 13 with Wine.
set -euo pipefail
cd /try
tests=/headscope/tests
export WINEDEBUG=-all WINEPREFIX=/try/wine LIBGL_ALWAYS_SOFTWARE=1 XDG_RUNTIME_DIR=/tmp
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>display 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
until [ -s display ]; do sleep 0.1; done
DISPLAY=":$(cat display)"
export DISPLAY
# Without a window manager Wine confines the mouse to a window as large as the screen, again and
# again, and the program gets no other message.
export HEADSCOPE_TEST_SCREEN=1920x1200
wineboot --init >/dev/null 2>&1
local_data="$WINEPREFIX/drive_c/users/$(id -un)/AppData/Local"

# Tests that cannot pass stand in windows_left_out.txt, each with its reason.
left_out="$(awk '!/^#/ && NF { printf "%s%s", n++ ? ":" : "-", $1 }' \
  "$tests/packages/windows_left_out.txt")"
for each in core cli; do
  wine "${each}_tests.exe" --gtest_brief=1 --gtest_filter="$left_out"
done

# The archive, in a folder whose name no code page has.
folder="/try/größer 模型 😀"
mkdir "$folder"
unzip -q headscope-*-windows-x86_64.zip -d "$folder"
program="$(echo "$folder"/headscope-*)"
cat >headscope <<END
#!/bin/bash
# headscope.exe, which keeps what is not saved where the tests look for it. Wine's desktop stays on the
# display that it began on: another display needs another one.
wineserver --kill || true
wineserver --wait
mkdir -p "\$XDG_STATE_HOME/headscope"
ln -sfn "\$XDG_STATE_HOME/headscope" "$local_data/headscope"
exec wine "$program/headscope.exe" "\$@"
END
chmod +x headscope
headscope() { wine "$program/headscope.com" "$@"; }

headscope --version
headscope run --text "Vögel singen" >run.txt
grep -q "Vögel" run.txt
if grep -q $'\r' run.txt; then
  echo "Lines end as Windows' own, which other programs do not expect."
  exit 1
fi
cp -r "$tests/data/tiny-gpt2" "$folder/gpt"
printf '{"id": 1, "command": "open", "folder": "%s/gpt"}\r\n' "$folder" |
  headscope serve --stdio | grep -q '"parameters":40320'

headscope run --session session.headscope.json --trace opened.safetensors >opened.txt
python3 "$tests/packages/same_numbers.py" linux.safetensors opened.safetensors

headscope render --out windows.png >/dev/null
# how far they differ, of 1: letters are laid out by another version of Dear ImGui
difference="$(compare -metric MAE linux.png windows.png null: 2>&1 | sed 's/.*(\(.*\))/\1/' || true)"
awk -v d="$difference" 'BEGIN { exit !(d != "" && d < 0.04) }' || {
  echo "The picture is another than Linux's: $difference"
  exit 1
}
# letters that only a typeface of Windows has
headscope render --text "鳥" --size 640x400 --out without.png
cp /usr/share/fonts/truetype/wqy/wqy-microhei.ttc "$WINEPREFIX/drive_c/windows/Fonts/msyh.ttc"
headscope render --text "鳥" --size 640x400 --out with.png
if cmp -s without.png with.png; then
  echo "The typefaces of Windows are not found."
  exit 1
fi
for each in types_a_sentence walk slow_frames speaker copy; do
  "$tests/window/$each.sh" /try/headscope
done
"$tests/packages/save_session.sh" /try/headscope /try/session "Two old dogs sleep"
headscope run --session session.headscope.json --trace windows.safetensors >windows.txt
python3 "$tests/window/check_trace.py" windows.safetensors Two old dogs sleep

# The installer, for this user alone.
installed="$local_data/Programs/headscope"
menu="$WINEPREFIX/drive_c/users/$(id -un)/AppData/Roaming/Microsoft/Windows/Start Menu/Programs"
# what the registry holds of it, but for what Wine notes of menus in files of this system (Z:)
keys() {
  wine reg export HKCU all.reg /y >/dev/null
  iconv -f utf-16 -t utf-8 all.reg | grep -i headscope | grep -v Z: || true
}
before="$(keys)"
wine headscope-*-setup.exe /S
wine "$installed/headscope.com" --version
[ -s "$menu/headscope.lnk" ]
wine reg query 'HKCU\Software\Classes\.json\OpenWithProgids' /v headscope.file >/dev/null
wine reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\headscope' >/dev/null
wine "$installed/uninstall.exe" /S
until [ ! -e "$installed" ]; do sleep 0.1; done  # it removes itself from a copy
wineserver --wait
[ ! -e "$menu/headscope.lnk" ]
[ "$(keys)" = "$before" ] || {
  echo "It leaves keys behind:"
  keys
  exit 1
}
echo "Tests, commands, pictures, window, sessions and installer hold under Wine."
