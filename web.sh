#!/usr/bin/env bash
# Builds headscope for browsers into build/web/site, which any web space can hold.
#   ./web.sh           builds
#   ./web.sh --serve   builds, and opens it from this machine
# Debian 13's Emscripten compiles it, in a bare Debian 13 of its own on other systems; that needs
# root (or sudo), for debootstrap and chroot.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"
case "$*" in
  "" | --serve) ;;
  *)
    say "web.sh: it takes --serve or nothing, and not: $*"
    exit 2
    ;;
esac

# what needs root, apart from what serves
build_page() {
  install_packages package
  inside="$(bare_system trixie web)"
  mkdir -p "$inside/headscope"
  in_system "$inside" /headscope/third_party/web/build.sh
  chown -R --reference="$root" "$root/build/web" "$root/build/web-threads"
}
if [ "$(id -u)" -eq 0 ]; then
  build_page
else
  sudo bash -c "set -euo pipefail; source '$root/third_party/setup.sh'; $(declare -f build_page); build_page"
fi

site="$root/build/web/site"
say "The page is in $site:"
ls -l "$site" >&2
if [ "$*" = --serve ]; then
  port=8765
  say "http://localhost:$port/ has it until ctrl+c."
  (sleep 1 && command -v xdg-open >/dev/null && xdg-open "http://localhost:$port/") &
  exec python3 -m http.server --directory "$site" --bind 127.0.0.1 "$port"
fi
