#!/usr/bin/env bash
# Makes the archive and the installer for Windows into build/packages. package.sh runs it in a bare
# Debian 13. Usage: make_package.sh <commit>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
"$root/third_party/windows/build.sh" "$1" headscope headscope_desktop
version="$(sed -nE 's/^project\(headscope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"
name="headscope-$version-windows-x86_64"
folder="$root/build/$name"
rm -rf "$folder"
mkdir -p "$folder" "$root/build/packages"
for program in headscope.exe headscope.com; do
  x86_64-w64-mingw32-strip -o "$folder/$program" "$root/build/windows/$program"
done

# texts as Windows has them, with a carriage return on each line
for_windows() { sed 's/\r*$/\r/' >"$folder/$1"; }
for_windows CHANGELOG.txt <"$root/CHANGELOG.md"
sed "s/@VERSION@/$version/" "$root/app/windows/archive_readme.txt" | for_windows README.txt
{
  printf 'headscope\n\n'
  cat "$root/LICENSE"
  for source in "$root"/build/windows/sources/*/; do
    case "$source" in */googletest-* | */ft2demos-*) continue ;; esac
    printf '\n\n==== The program holds %s ====\n\n' "$(basename "$source")"
    find "$source" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' \) |
      LC_ALL=C sort | while read -r file; do cat "$file"; done
  done
  for package in zlib1g fonts-inter fonts-jetbrains-mono fonts-dejavu-core mingw-w64-common \
    g++-mingw-w64-x86-64-posix; do
    printf '\n\n==== The program holds parts of %s ====\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
  done
  printf '\n\n==== The program holds a table of words made from WordNet and SCOWL ====\n\n'
  sed -n '/^#/!q; s/^# \{0,1\}//p' "$root/assets/word_forms.txt"
} | for_windows LICENSES.txt

rm -f "$root/build/packages/$name".*
(cd "$root/build" && zip -q -9 -r "packages/$name.zip" "$name")
(cd "$root/app/windows" && makensis -V2 -DFOLDER="$folder" -DVERSION="$version" \
  -DOUT="$root/build/packages/$name-setup.exe" headscope.nsi >&2)
