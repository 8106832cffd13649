#!/usr/bin/env bash
# Makes the archive and the installer for Windows, and tries them under Wine in a bare Debian 13
# (try_windows.sh). A session goes from this system's window to that of Windows and back. Needs root
# and half an hour of two cores the first time; ./test.sh --all calls it. Usage: windows.sh <headscope>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
program="$(readlink -f "$1")"
if [ "$(id -u)" -ne 0 ]; then exec sudo "$0" "$program"; fi
"$root/package.sh" --windows
built="$(bare_system trixie windows)"
in_system "$built" /headscope/third_party/windows/build.sh unknown core_tests cli_tests

inside="$(bare_system trixie wine)"
mkdir -p "$inside/headscope"
if [ ! -f "$inside/desktop" ]; then
  in_system "$inside" sh -c "apt-get -qq update &&
    apt-get -qq install --yes --no-install-recommends wine wine64 xvfb xdotool xclip libgl1 \
      libgl1-mesa-dri unzip python3 imagemagick fonts-wqy-microhei >/dev/null"
  touch "$inside/desktop"
fi
try="$inside/try"
rm -rf "$try"
mkdir -p "$try"
cp "$root"/build/packages/headscope-*-windows-x86_64* "$built"/headscope/build/windows/*_tests.exe "$try/"

"$root/tests/packages/save_session.sh" "$program" "$try/session" "Seven small birds sing"
"$program" run --session "$try/session.headscope.json" --trace "$try/linux.safetensors" >/dev/null
LIBGL_ALWAYS_SOFTWARE=1 "$program" render --out "$try/linux.png" >/dev/null
in_system "$inside" bash /headscope/tests/packages/try_windows.sh
"$program" run --session "$try/session.headscope.json" --trace "$try/back.safetensors" >/dev/null
python3 "$root/tests/packages/same_numbers.py" "$try/windows.safetensors" "$try/back.safetensors"
say "headscope for Windows holds under Wine."
