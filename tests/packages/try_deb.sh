#!/usr/bin/env bash
# Installs /headscope.deb and /python3-headscope.deb, tries them, and removes them. In a bare Debian that packages.sh has made.
set -euo pipefail
# all files but what dpkg and apt keep for themselves, and caches that others' triggers write
files() {
  find / -xdev \( -path /proc -o -path /tmp -o -path /root -o -path /var/lib/dpkg \
    -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /dev \) -prune -o -print |
    grep -v "\.cache$\|^/usr/share/mime/\|/__pycache__\|^/try_program.sh" | LC_ALL=C sort
}
dpkg --purge python3-headscope headscope >/dev/null 2>&1 || true
files >/tmp/before
apt-get -qq install --yes --no-install-recommends /headscope.deb \
  /python3-headscope.deb >/dev/null
# Passed over: there is no mail address and no home page to name, stb is a part of it, no bug is
# closed by a first version, and a library's licence stands as its authors wrote it.
# Debian 13's lintian asks AppStream, too, and Debian 12's does not know that tag.
passed_over="embedded-library initial-upload-closes-no-bugs bogus-mail-host
  bogus-mail-host-in-debian-changelog old-fsf-address-in-copyright-file"
grep -q '^12' /etc/debian_version || passed_over="$passed_over appstream-metadata-validation-failed"
# shellcheck disable=SC2086
printf '%s\n' $passed_over | lintian --allow-root --fail-on error,warning \
  --suppress-tags-from-file /dev/stdin /headscope.deb /python3-headscope.deb
desktop-file-validate /usr/share/applications/headscope.desktop
appstreamcli validate --no-net /usr/share/metainfo/org.headscope.headscope.metainfo.xml \
  >/tmp/found || true
grep -q "org.headscope.headscope\|successful" /tmp/found
if grep "^ *[EW]:" /tmp/found | grep -v url-homepage-missing; then exit 1; fi
[ "$(XDG_UTILS_DEBUG_LEVEL=0 grep -c headscope.json /usr/share/mime/globs2)" -ge 1 ]
for page in headscope headscope-run headscope-train; do
  man --warnings -l "/usr/share/man/man1/$page.1.gz" >/tmp/page 2>/tmp/warnings
  [ ! -s /tmp/warnings ] || { cat /tmp/warnings; exit 1; }
  grep -q -- "--" /tmp/page
done
# what completes in bash
# shellcheck disable=SC1091
source /usr/share/bash-completion/completions/headscope
completes() {
  COMP_WORDS=(headscope "${@:2}")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _headscope || true  # compopt is for real completion alone
  [[ " ${COMPREPLY[*]} " == *" $1 "* ]] || {
    echo "Not completed: headscope ${*:2} → $1, but: ${COMPREPLY[*]}"
    exit 1
  }
}
completes analyze an
completes --heads run --he
completes dark --theme d
bash /try_program.sh headscope
(cd / && python3 - <<'END'
import headscope
with headscope.open("headscope:induction") as m:
    r = m.run("qxmbtka qxmbtka qxm")
    assert r.attentions.shape == (2, 4, 17, 17), r.attentions.shape
    assert r.predictions[-1][0]["token"] == "b", r.predictions[-1][0]
    assert m.sweep("qxmbtka qxmbtka qxm").values.shape == (2, 4)
END
)
apt-get -qq purge --yes python3-headscope headscope >/dev/null
files >/tmp/after
# what came along as a dependency stays until autoremove; nothing of ours may
if comm -13 /tmp/before /tmp/after | grep -i headscope; then
  echo "It leaves these behind"
  exit 1
fi
echo "Installed, tried and removed."
