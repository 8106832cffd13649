#!/usr/bin/env bash
# Makes python3-headscope, the Python module as a .deb, into a folder. Usage:
# make_python_package.sh <package version> <folder>
set -euo pipefail
version="$1"
folder="$2"
source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
tree="$(mktemp -d)"
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
module="$tree/usr/lib/python3/dist-packages/headscope"
doc="$tree/usr/share/doc/python3-headscope"
install -d "$module" "$doc" "$tree/DEBIAN"
install -m 644 "$source"/python/headscope/*.* "$module"
install -m 644 "$source/LICENSE" "$doc/copyright"
released="$(sed -nE 's/^## .*\((.*)\)$/\1/p' "$source/CHANGELOG.md" | head -1)"
gzip -9n >"$doc/changelog.Debian.gz" <<END
python3-headscope ($version) stable; urgency=medium

  * What is new stands in the changelog of headscope.

 -- the headscope authors <headscope@localhost>  $(LC_ALL=C date -u -R -d "$released")
END
cat >"$tree/DEBIAN/control" <<END
Package: python3-headscope
Version: $version
Architecture: all
Section: python
Priority: optional
Maintainer: the headscope authors <headscope@localhost>
Installed-Size: $(du -ks --apparent-size "$tree/usr" | cut -f1)
Depends: headscope, python3, python3-numpy
Description: see every step and number of multi-head attention (Python 3)
 Opens transformer models from Python: every array of a pass as NumPy has
 it, sweeps over heads, layers and places, and the way back from a
 predicted word to the words that were read. It asks one process of the
 program headscope, which reads a model once for as many texts as there
 are.
END
# compiled where it is installed, as Debian's own modules are
cat >"$tree/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if command -v py3compile >/dev/null 2>&1; then
  py3compile -p python3-headscope
fi
END
cat >"$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if command -v py3clean >/dev/null 2>&1; then
  py3clean -p python3-headscope
fi
END
chmod 755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm"
dpkg-deb --root-owner-group --build "$tree" "$folder/python3-headscope_${version}_all.deb" >&2
