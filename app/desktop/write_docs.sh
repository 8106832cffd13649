#!/usr/bin/env bash
# Writes what a package tells about the program, in the folders below share/: a page of the manual
# for it and for each of its commands, from what they say to --help; the licences of what is built
# into it; its changes. Usage: write_docs.sh <headscope> <folder> <package version>
set -euo pipefail
program="$(readlink -f "$1")"
folder="$2"
package_version="$3"
source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
manual="$folder/man/man1"
doc="$folder/doc/headscope"
rm -rf "$folder"
mkdir -p "$manual" "$doc"
PATH="$(dirname "$program"):$PATH"
version="$(headscope --version | awk 'NR == 1 { print $2 }')"

# page <command>...
page() {
  local name="$*" summary
  summary="$("$@" --help | awk 'NF && !said++ { sub(/\.$/, ""); print }')"
  help2man --no-info --no-discard-stderr --name="$summary" --version-string="$version" "$*" |
    sed "/^\.SH NAME/ { n; s/^$name /${name// /-} /; }" | # as the page is called
    gzip -9n >"$manual/${name// /-}.1.gz"
}
page headscope
headscope --help |
  awk '/^[A-Z]/ { inside = /^Subcommands:/; next } inside && /^  [a-z]/ { print $1 }' |
  while read -r command; do page headscope "$command"; done

# The libraries that are compiled or linked into the program itself, by Debian package.
{
  printf 'headscope\n\n'
  cat "$source/LICENSE"
  for package in libeigen3-dev nlohmann-json3-dev libcli11-dev libimgui-dev libstb-dev \
    fonts-inter fonts-jetbrains-mono fonts-dejavu-core; do
    printf '\n\n==== The program holds parts of %s ====\n\n' "${package%-dev}"
    cat "/usr/share/doc/$package/copyright"
  done
  printf '\n\n==== The program holds a table of words made from WordNet and SCOWL ====\n\n'
  sed -n '/^#/!q; s/^# \{0,1\}//p' "$source/assets/word_forms.txt"
} >"$doc/copyright"
gzip -9nc "$source/CHANGELOG.md" >"$doc/changelog.gz"
{
  printf 'headscope (%s) stable; urgency=medium\n\n' "$package_version"
  printf '  * What is new stands in changelog.gz.\n\n'
  printf ' -- the headscope authors <headscope@localhost>  %s\n' \
    "$(LC_ALL=C date -u -R -d "$(sed -nE 's/^## .*\((.*)\)$/\1/p' "$source/CHANGELOG.md" | head -1)")"
} | gzip -9n >"$doc/changelog.Debian.gz"
