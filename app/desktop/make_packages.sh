#!/usr/bin/env bash
# Makes this system's packages into build/packages: the .deb files of the program and of its Python
# module, and on the oldest system that is served (Debian 12) the archive for others. package.sh runs
# it in a bare Debian. Usage: make_packages.sh <commit>
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
"$root/app/desktop/make_python_package.sh" "$version-1~deb$release" "$packages"
[ "$release" = 12 ] || exit 0

"$root/app/desktop/make_archive.sh" "$root/build/release" "$version"
