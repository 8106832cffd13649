#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests: those of the release build, and
# the engine's golden values as built for any x86-64, and core and interface again under
# AddressSanitizer and UndefinedBehaviorSanitizer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"

install_packages build test
configure release -DHEADSCOPE_TESTS=ON
build release all
configure portable
build portable golden_tests golden_eigen_tests pass_count
configure asan
build asan core_tests app_tests monkey_tests

# One run over all builds, so that one summary counts every test.
printf 'subdirs("release" "portable" "asan")\n' >"$root/build/CTestTestfile.cmake"
cd "$root/build"
exec ctest --output-on-failure --parallel "$(nproc)"
