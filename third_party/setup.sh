# shellcheck shell=bash
# What run.sh and test.sh share: installs missing packages and configures builds. Sourced by both.
# All it says goes to stderr: stdout is the program's.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '%s\n' "$*" >&2; }

# Names in the given sections of packages.txt.
packages_in() {
  awk -v wanted=" $* " '
    { sub(/#.*/, "") }
    /^\[/ { gsub(/[][ ]/, ""); section = $0; next }
    NF && index(wanted, " " section " ") { print $1 }' "$root/third_party/packages.txt"
}

# Prints the names from stdin that are no command here: node and npm, say, need not come from Debian.
without_commands() {
  local name
  while read -r name; do command -v "$name" >/dev/null || printf '%s\n' "$name"; done
}

# install_packages <section>...; sets installed_any where something was missing.
install_packages() {
  installed_any=
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt here: libraries that are not installed will be downloaded, as pinned in" \
      "third_party/fetch.cmake."
    return
  fi
  # Names that apt turned out not to know: not asked for again.
  local unknown="$root/build/unknown_packages"
  mkdir -p "$root/build" && touch "$unknown"
  local missing
  missing="$(comm -23 \
    <(packages_in "$@" | grep -vxF -f "$unknown" | without_commands | LC_ALL=C sort) \
    <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }' |
      LC_ALL=C sort -u) | tr '\n' ' ')"
  [ -n "$missing" ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "These packages are missing, and without sudo only root can install them:"
      say "  apt-get install $missing"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "Installing with apt: $missing"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  "${apt[@]}" update >&2 || say "apt-get update failed; going on with the lists there are."
  local name available=()
  for name in $missing; do
    if apt-cache show "$name" >/dev/null 2>&1; then
      available+=("$name")
    else
      say "apt does not know $name here: going on without that package."
      echo "$name" >>"$unknown"
    fi
  done
  if ! "${apt[@]}" install --yes --no-install-recommends "${available[@]}" >&2; then
    say "apt-get could not install these packages; see its message above."
    exit 1
  fi
  installed_any=yes
}

# configure <preset> <flag>...: once, and again after packages came or where a flag is new.
configure() {
  local preset="$1"
  shift
  local wanted="$root/build/$preset/configured_with"
  if [ -n "$installed_any" ] || [ ! -f "$root/build/$preset/build.ninja" ] ||
    [ "$(cat "$wanted" 2>/dev/null)" != "$*" ]; then
    (cd "$root" && cmake --preset "$preset" "$@" >&2)
    printf '%s\n' "$*" >"$wanted"
  fi
}

# build <preset> <target>...
build() {
  local preset="$1"
  shift
  cmake --build "$root/build/$preset" --target "$@" >&2
}

# bare_system <suite> <name>: a folder with a bare Debian of this suite, for chroot; made where it
# is missing. Root alone can.
bare_system() {
  local folder="$root/build/systems/$1-$2"
  if [ ! -f "$folder/made" ]; then
    say "Making a bare Debian ($1) in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    debootstrap --variant=minbase "$1" "$folder" >&2
    touch "$folder/made"
  fi
  printf '%s\n' "$folder"
}

# debian_sources <folder> <source>/<suite>...: upstream's archives as Debian keeps them, unpacked in
# the folder. For a bare Debian alone: its apt learns where the sources of both suites are.
debian_sources() {
  local folder="$1" mirror source archive
  shift
  [ ! -f "$folder/complete" ] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  mirror="$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)"
  printf "deb-src $mirror %s main\n" trixie bookworm >/etc/apt/sources.list.d/sources.list
  apt-get -qq update >&2
  for source in "$@"; do
    (cd "$folder" &&
      apt-get -qq -o APT::Sandbox::User=root source --download-only --tar-only "$source" >&2)
  done
  for archive in "$folder"/*.tar.*; do tar -xf "$archive" -C "$folder"; done
  touch "$folder/complete"
}

# in_system <folder> <command>...: run there, with this machine's network and way to packages; an
# empty folder /headscope there is this one. What is mounted for it is gone with it.
in_system() {
  local folder="$1"
  shift
  cp -L /etc/resolv.conf /etc/hosts "$folder/etc/"
  cp -a /etc/apt/apt.conf.d/. "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
  root="$root" unshare --mount --propagation private sh -c '
    folder="$1"
    shift
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mount -t tmpfs tmpfs "$folder/tmp"
    [ ! -d "$folder/headscope" ] || [ -n "$(ls "$folder/headscope")" ] ||
      mount --bind "$root" "$folder/headscope"
    exec chroot "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive "$@"' sh "$folder" "$@" </dev/null >&2
}
