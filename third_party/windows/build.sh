#!/usr/bin/env bash
# Builds headscope for Windows into build/windows/program. package.sh runs it in a bare Debian 13,
# where it gets MinGW-w64 and the sources of all libraries.
# Usage: build.sh <commit> <target>...
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
install_packages windows
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
commit="$1"
shift

sources="$root/build/windows/sources"
# Debian 13's utf8proc knows a later Unicode than Debian 12's, with which tokens are tested.
debian_sources "$sources" cairo/trixie cli11/trixie eigen3/trixie fmtlib/trixie freetype/trixie \
  fribidi/trixie giflib/trixie glfw3/trixie googletest/trixie imgui/trixie libcsv/trixie \
  libepoxy/trixie libjpeg-turbo/trixie libpng1.6/trixie libstb/trixie libwebp/trixie \
  libzip/bookworm nlohmann-json3/trixie pcre2/trixie pixman/trixie utf8proc/bookworm

# source_of <name>: its one unpacked folder.
source_of() {
  local found=("$sources/$1"-*/)
  [ ${#found[@]} -eq 1 ] && [ -d "${found[0]}" ] || {
    say "$sources/$1-*: one folder was looked for: ${found[*]}"
    exit 1
  }
  printf '%s\n' "${found[0]%/}"
}

# library <name> <flag>...: built by its own CMake file and installed where the toolchain looks.
libraries="$root/build/windows/libraries"
library() {
  local name="$1"
  shift
  [ ! -f "$libraries/$name.made" ] || return 0
  local source build="$root/build/windows/made/$name"
  source="$(source_of "$name")"
  say "Building $name"
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/third_party/windows/toolchain.cmake" \
    -DCMAKE_INSTALL_PREFIX="$libraries" -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
    -DBUILD_SHARED_LIBS=OFF "$@" >"$root/build/windows/$name.log" 2>&1 &&
    cmake --build "$build" >>"$root/build/windows/$name.log" 2>&1 &&
    cmake --install "$build" >>"$root/build/windows/$name.log" 2>&1 || {
    tail -n 30 "$root/build/windows/$name.log" >&2
    exit 1
  }
  touch "$libraries/$name.made"
}
mkdir -p "$libraries"
# Debian's own for MinGW-w64: the source that it keeps lacks what zlib needs on Windows.
mkdir -p "$libraries/include" "$libraries/lib/pkgconfig"
cp /usr/x86_64-w64-mingw32/include/z{lib,conf}.h "$libraries/include/"
cp /usr/x86_64-w64-mingw32/lib/libz.a "$libraries/lib/"
sed "s|/usr/x86_64-w64-mingw32|$libraries|" /usr/x86_64-w64-mingw32/lib/pkgconfig/zlib.pc \
  >"$libraries/lib/pkgconfig/zlib.pc"
library libpng -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF
library libjpeg-turbo -DENABLE_SHARED=OFF -DWITH_SIMD=ON
library libwebp -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF \
  -DWEBP_BUILD_GIF2WEBP=OFF -DWEBP_BUILD_IMG2WEBP=OFF -DWEBP_BUILD_VWEBP=OFF \
  -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF -DWEBP_BUILD_EXTRAS=OFF
# An older library than the compiler, which takes its pointers to functions of Windows for an error.
CFLAGS=-Wno-incompatible-pointer-types library libzip -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
  -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DENABLE_COMMONCRYPTO=OFF \
  -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_WINDOWS_CRYPTO=OFF
library freetype -DFT_DISABLE_BROTLI=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_HARFBUZZ=ON \
  -DFT_DISABLE_PNG=ON -DFT_DISABLE_ZLIB=ON
# FriBidi has no CMake file. Its archive has the tables that it would make while it is built, so that
# no compiler for this system is asked for.
if [ ! -f "$libraries/fribidi.made" ]; then
  say "Building fribidi"
  mkdir -p "$root/build/windows/made/fribidi"
  (cd "$root/build/windows/made/fribidi" &&
    "$(source_of fribidi)/configure" --host=x86_64-w64-mingw32 --prefix="$libraries" --quiet \
      --disable-shared --disable-deprecated CC=x86_64-w64-mingw32-gcc-posix \
      CC_FOR_BUILD=x86_64-w64-mingw32-gcc-posix CPPFLAGS=-DFRIBIDI_LIB_STATIC &&
    make -C lib install && make install-pkgconfigDATA) >"$root/build/windows/fribidi.log" 2>&1
  sed -i 's/^Cflags:/Cflags: -DFRIBIDI_LIB_STATIC/' "$libraries/lib/pkgconfig/fribidi.pc"
  touch "$libraries/fribidi.made"
fi

# giflib's Makefile knows no other system than its own; it is five files.
if [ ! -f "$libraries/giflib.made" ]; then
  say "Building giflib"
  mkdir -p "$root/build/windows/made/giflib"
  (cd "$root/build/windows/made/giflib" &&
    for file in dgif_lib egif_lib gif_err gifalloc gif_hash openbsd-reallocarray; do
      x86_64-w64-mingw32-gcc-posix -O2 -c "$(source_of giflib)/$file.c" -o "$file.o"
    done &&
    x86_64-w64-mingw32-ar rcs "$libraries/lib/libgif.a" ./*.o &&
    cp "$(source_of giflib)/gif_lib.h" "$libraries/include/") >"$root/build/windows/giflib.log" 2>&1
  touch "$libraries/giflib.made"
fi

# meson_library <name> <flag>...: built by its own Meson file, as library does by CMake's.
cat >"$root/build/windows/meson.ini" <<CROSS
[binaries]
c = 'x86_64-w64-mingw32-gcc-posix'
cpp = 'x86_64-w64-mingw32-g++-posix'
ar = 'x86_64-w64-mingw32-ar'
strip = 'x86_64-w64-mingw32-strip'
windres = 'x86_64-w64-mingw32-windres'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '$libraries/lib/pkgconfig'
[built-in options]
c_args = ['-D_WIN32_WINNT=0x0A00', '-Wa,-muse-unaligned-vector-move', '-I$libraries/include']
c_link_args = ['-L$libraries/lib']
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
CROSS
meson_library() {
  local name="$1"
  shift
  [ ! -f "$libraries/$name.made" ] || return 0
  local build="$root/build/windows/made/$name"
  say "Building $name"
  meson setup "$build" "$(source_of "$name")" --cross-file "$root/build/windows/meson.ini" \
    --prefix "$libraries" --libdir lib --buildtype release --default-library static \
    --wrap-mode nofallback -Dtests=disabled "$@" >"$root/build/windows/$name.log" 2>&1 &&
    meson install -C "$build" >>"$root/build/windows/$name.log" 2>&1 || {
    tail -n 30 "$root/build/windows/$name.log" >&2
    exit 1
  }
  touch "$libraries/$name.made"
}
meson_library pixman -Dgtk=disabled -Dlibpng=disabled -Dopenmp=disabled -Ddemos=disabled
meson_library cairo -Dfreetype=enabled -Dfontconfig=disabled -Dpng=enabled -Dzlib=enabled \
  -Dglib=disabled -Dspectre=disabled -Dsymbol-lookup=disabled -Ddwrite=disabled \
  -Dxlib=disabled -Dxcb=disabled

# The rest compiles with the program, by the recipes of fetch.cmake.
cd "$root"
[ -f build/windows/build.ninja ] ||
  cmake --preset windows -DHEADSCOPE_COMMIT="$commit" \
    -DFETCHCONTENT_SOURCE_DIR_EIGEN="$(source_of eigen)" \
    -DFETCHCONTENT_SOURCE_DIR_FMT="$(source_of fmtlib)" \
    -DFETCHCONTENT_SOURCE_DIR_JSON="$(source_of json)" \
    -DFETCHCONTENT_SOURCE_DIR_CLI11="$(source_of CLI11)" \
    -DFETCHCONTENT_SOURCE_DIR_UTF8PROC="$(source_of utf8proc)" \
    -DFETCHCONTENT_SOURCE_DIR_PCRE2="$(source_of pcre2)" \
    -DFETCHCONTENT_SOURCE_DIR_LIBCSV="$(source_of libcsv)" \
    -DFETCHCONTENT_SOURCE_DIR_STB="$(source_of libstb)" \
    -DFETCHCONTENT_SOURCE_DIR_GLFW="$(source_of glfw)" \
    -DFETCHCONTENT_SOURCE_DIR_IMGUI="$(source_of imgui)" \
    -DFETCHCONTENT_SOURCE_DIR_EPOXY="$(source_of libepoxy)" \
    -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST="$(source_of googletest)" >&2
cmake --build build/windows --target "$@" >&2
