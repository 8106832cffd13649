#!/usr/bin/env bash
# Makes this system's packages into build/packages: the .deb, and on the oldest system that is served
# (Debian 12) the archive for others. package.sh runs it in a bare Debian. Usage:
# make_packages.sh <commit>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
install_packages build packaging
version="$(sed -nE 's/^project\(headscope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"
# shellcheck source=/dev/null
release="$(. /etc/os-release && printf '%s' "$VERSION_ID")"

configure release -DHEADSCOPE_TESTS=OFF -DHEADSCOPE_COMMIT="$1" -DCMAKE_INSTALL_PREFIX=/usr \
  -DHEADSCOPE_PACKAGE_VERSION="$version-1~deb$release"
build release headscope headscope_docs
packages="$root/build/packages"
rm -rf "$packages"
mkdir -p "$packages"
(cd "$root/build/release" && cpack -G DEB -B "$packages" >&2 && rm -rf "$packages/_CPack_Packages")
[ "$release" = 12 ] || exit 0

# The archive: the program, the libraries that systems may lack beside it, licences, a read-me.
# The C and C++ libraries and what belongs to a display are the system's: they must fit its drivers.
of_the_system='^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|X11|xcb|Xau|Xdmcp|bsd|md))\.so'
name="headscope-$version-linux-x86_64"
folder="$root/build/$name"
rm -rf "$folder"
mkdir -p "$folder/lib"
install -s "$root/build/release/headscope" "$folder/headscope"
ldd "$root/build/release/headscope" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
  file="$(basename "$library")"
  if ! [[ $file =~ $of_the_system ]]; then
    install -m 644 "$(readlink -f "$library")" "$folder/lib/$file"
    dpkg -S "*/$(basename "$(readlink -f "$library")")" | cut -d: -f1  # /lib may be a link
  fi
done | sort -u >"$root/build/bundled"
for file in "$folder"/lib/*; do patchelf --set-rpath '$ORIGIN' "$file"; done
patchelf --set-rpath '$ORIGIN/lib' "$folder/headscope"
{
  cat "$root/build/release/app/desktop/docs/doc/headscope/copyright"
  while read -r package; do
    printf '\n\n==== In lib/: %s ====\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
  done <"$root/build/bundled"
} >"$folder/LICENSES.txt"
cp "$root/CHANGELOG.md" "$folder/CHANGELOG.txt"
sed "s/@VERSION@/$version/" "$root/app/desktop/archive_readme.txt" >"$folder/README.txt"
tar -C "$root/build" --owner=0 --group=0 --sort=name -cJf "$packages/$name.tar.xz" "$name"
