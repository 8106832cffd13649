#!/usr/bin/env bash
# Builds the page and tries it in Debian's Chromium and Firefox; what it saved must be what the
# program here computes. Needs root for web.sh, some 15 minutes, and build/release/headscope
# (./run.sh, ./test.sh).
# Screenshots go to build/web/pictures.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
install_packages browser
"$root/web.sh"

tools="$root/build/web/tools"
mkdir -p "$tools"
[ -d "$tools/node_modules/puppeteer-core" ] ||
  npm install --silent --no-fund --no-audit --prefix "$tools" playwright-core puppeteer-core >&2
cp "$root"/tests/web/*_test.mjs "$tools/"
pictures="$root/build/web/pictures"
mkdir -p "$pictures"

"$root/build/release/headscope" run --init learned --text "The small bird sings." \
  --trace "$pictures/native.safetensors" >/dev/null

"$root/build/release/headscope" render --view stage --size 1280x720 --out "$pictures/native.png" \
  >/dev/null
# same_letters: the heads' names and their arrows are drawn as the program here draws them. Typefaces
# of other versions differ by 0.01, a missing arrow by 0.05.
same_letters() {
  local difference
  difference="$(compare -metric MAE -extract 1228x44+26+432 "$pictures/start.png" \
    "$pictures/native.png" null: 2>&1 | sed 's/.*(\(.*\))/\1/')" || true
  awk -v d="$difference" 'BEGIN { exit !(d != "" && d < 0.03) }' || {
    say "The heads' names are drawn otherwise than by the program: $difference ($pictures)"
    exit 1
  }
}

# A server of its own for each, as a service worker belongs to an address.
port=8766
try_page() {
  python3 -m http.server --directory "$root/build/web/site" --bind 127.0.0.1 "$port" 2>/dev/null &
  server=$!
  trap 'kill "$server"' EXIT
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
  "$@"
  "$root/tests/web/same_trace.py" "$pictures/$traced.safetensors" "$pictures/native.safetensors"
  kill "$server"
  port=$((port + 1))
}
# With threads, for which the page isolates itself, and without.
for threads in "" --no-threads; do
  traced=sentence
  try_page node "$tools/page_test.mjs" "http://127.0.0.1:$port/" "$pictures" $threads
  same_letters
done
traced=firefox
try_page xvfb-run --auto-servernum --server-args="-screen 0 1400x900x24" \
  node "$tools/firefox_test.mjs" "http://127.0.0.1:$port/" "$pictures"
trap - EXIT
