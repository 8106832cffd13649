#!/usr/bin/env bash
# Makes the archive for any Linux into build/packages: the program, the libraries that systems may
# lack beside it, licences, a read-me. Runs where make_packages.sh has built the program. Usage:
# make_archive.sh <folder of the build> <version>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../third_party/setup.sh"
built="$1"
version="$2"
name="headscope-$version-linux-x86_64"
folder="$root/build/$name"
rm -rf "$folder"
mkdir -p "$folder/lib"

# Debian 12's GLFW does not start without libX11, which no command but the window needs: a newer one
# loads it when the window opens.
sources="$root/build/glfw/sources"
debian_sources "$sources" glfw3/trixie
glfw="$(echo "$sources"/glfw-*/)"
cmake -S "$glfw" -B "$root/build/glfw/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_SHARED_LIBS=ON -DGLFW_BUILD_WAYLAND=OFF -DGLFW_BUILD_EXAMPLES=OFF -DGLFW_BUILD_TESTS=OFF \
  -DGLFW_BUILD_DOCS=OFF -DGLFW_INSTALL=OFF >&2
cmake --build "$root/build/glfw/build" >&2

# Debian 12's cairo does not start without libX11 either, to draw on its windows. Figures are files:
# the archive has the same version without that.
sources="$root/build/cairo/sources"
debian_sources "$sources" cairo/bookworm
cairo="$(echo "$sources"/cairo-*/)"
mkdir -p "$root/build/cairo/build"
(cd "$root/build/cairo/build" &&
  CFLAGS="-O2 -w" "$cairo/configure" --quiet --disable-static --disable-xlib --disable-xcb \
    --disable-gobject --disable-trace --disable-interpreter --disable-script &&
  make --silent -C src) >&2

# The C and C++ libraries are the system's, and so are those of a display: they must fit its drivers.
of_the_system='^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so'
of_a_display='^lib(X|xcb|GL|EGL|OpenGL|wayland|drm)'
install -s "$built/headscope" "$folder/headscope"
LD_LIBRARY_PATH="$root/build/glfw/build/src:$root/build/cairo/build/src/.libs" ldd "$built/headscope" |
  awk '$3 ~ /^\// { print $3 }' | while read -r library; do
  file="$(basename "$library")"
  if [[ $file =~ $of_the_system ]]; then continue; fi
  if [[ $file =~ $of_a_display ]]; then
    say "The program does not start without $file, which only a desktop has."
    exit 1
  fi
  install -m 644 "$(readlink -f "$library")" "$folder/lib/$file"
  case "$file" in
    libglfw.so.*) ;;
    *) dpkg -S "*/$(basename "$(readlink -f "$library")")" | cut -d: -f1 ;;  # /lib may be a link
  esac
done | sort -u >"$root/build/bundled"
for file in "$folder"/lib/*; do patchelf --set-rpath '$ORIGIN' "$file"; done
patchelf --set-rpath '$ORIGIN/lib' "$folder/headscope"

{
  cat "$built/app/desktop/docs/doc/headscope/copyright"
  while read -r package; do
    printf '\n\n==== In lib/: %s ====\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
  done <"$root/build/bundled"
  printf '\n\n==== In lib/: GLFW ====\n\n'
  cat "$glfw/LICENSE.md"
} >"$folder/LICENSES.txt"
cp "$root/CHANGELOG.md" "$folder/CHANGELOG.txt"
sed "s/@VERSION@/$version/" "$root/app/desktop/archive_readme.txt" >"$folder/README.txt"
mkdir -p "$root/build/packages"
tar -C "$root/build" --owner=0 --group=0 --sort=name -cJf "$root/build/packages/$name.tar.xz" "$name"
