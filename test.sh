#!/usr/bin/env bash
# Installs what is missing, builds everything and tests it: the program, and under
# AddressSanitizer and UndefinedBehaviorSanitizer the engine, a part of the interface and the monkey.
#   ./test.sh         what every change needs
#   ./test.sh --all   what a release needs: clang-tidy and cppcheck over every file, the instructions
#                     of a pass counted, the whole interface under the sanitizers, more of the monkey,
#                     the threads under ThreadSanitizer; the packages made and tried in bare systems,
#                     and the page in a browser (package.sh, web.sh: they need root)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"
case "$*" in
  "") all= ;;
  --all) all=yes ;;
  *)
    say "test.sh: it takes --all or nothing, and not: $*"
    exit 2
    ;;
esac

install_packages build test ${all:+release package}
configure release -DHEADSCOPE_TESTS=ON -DHEADSCOPE_WERROR=ON
build release all
configure asan
build asan core_tests some_app_tests monkey_tests
if [ -n "$all" ]; then
  build asan app_tests
  configure lint
fi

# One run over both builds, so that one summary counts every test.
printf 'subdirs("release" "asan")\n' >"$root/build/CTestTestfile.cmake"
cd "$root/build"
if [ -z "$all" ]; then
  exec ctest --output-on-failure --parallel "$(nproc)" --label-exclude '^all$'
fi
ctest --output-on-failure --parallel "$(nproc)"
"$root/tests/monkey/run.sh" 20000
"$root/tests/threads.sh"
"$root/tests/packages/packages.sh"
"$root/tests/web/web.sh"
