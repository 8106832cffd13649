#!/usr/bin/env bash
# Installs what is missing, builds everything and tests it: the program, and the engine under
# AddressSanitizer and UndefinedBehaviorSanitizer.
#   ./test.sh          what every change needs
#   ./test.sh --quick  while working: the release build's tests of the engine, the interface and the
#                      command line without the slow ones, in two minutes once the build is there
#   ./test.sh --all    what a release needs: clang-tidy and cppcheck over every file, the
#                      instructions of a pass counted; the interface, the monkey and the tests' own
#                      code under the sanitizers; more of the monkey; the threads under
#                      ThreadSanitizer; the packages made and tried in bare systems, and the page in
#                      two browsers (package.sh, web.sh: they need root)
#   ./test.sh --help   prints this
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/third_party/setup.sh"
all= quick=
case "$*" in
  "") ;;
  --all) all=yes ;;
  --quick) quick=yes ;;
  --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *)
    say "test.sh: it takes --quick, --all, --help or nothing, and not: $*"
    exit 2
    ;;
esac

install_packages build test ${all:+release package}
configure release -DHEADSCOPE_TESTS=ON -DHEADSCOPE_WERROR=ON -DHEADSCOPE_SANITIZED_TESTS=ON
if [ -n "$quick" ]; then
  build release headscope core_tests app_tests cli_tests
  # The tests that take longest for what they alone find.
  slow=(
    'All/EditedPass.*/Wide' All/ShippedLesson.HoldsInEveryScene/04_splitting
    'KilledSave.*' LearnedAsset.ComesFromItsCommand
    LearnPage.EverySceneCanBeGoneThrough
    LessonStates.ASceneBeginsAlikeAfterTheEndOfAnotherLesson KvCachePanel.StandsAtEverySize
    'LongHeads.*' 'Leaks.*' 'Pace.*' 'Sizes/ClippedText.NoLessonHasAny/*'
    Render.FlagsChangeThePicture 'NoRoom.MemoryThatRunsOutIsSaid'
  )
  say "Left out: the sanitizers, the monkey, memory that runs out, pictures, the window, PyTorch's" \
    "scripts, the README's commands and these slow tests:"
  printf '  %s\n' "${slow[@]}" >&2
  cd "$root/build/release"
  GTEST_FILTER="-$(IFS=: && echo "${slow[*]}")" exec ctest --output-on-failure \
    --parallel "$(nproc)" --tests-regex '^((core|app|cli)_tests\.|lint\.(format|hardening|words)$)'
fi
build release all
if [ -z "$all" ]; then
  cd "$root/build/release"
  exec ctest --output-on-failure --parallel "$(nproc)" --label-exclude '^all$'
fi
configure asan
build asan core_tests app_tests monkey_tests
configure lint
# One run over both builds, so that one summary counts every test.
printf 'subdirs("release" "asan")\n' >"$root/build/CTestTestfile.cmake"
cd "$root/build"
ctest --output-on-failure --parallel "$(nproc)"
"$root/tests/monkey/run.sh" 20000
"$root/tests/threads.sh"
"$root/tests/packages/packages.sh"
"$root/tests/packages/windows.sh" "$root/build/release/headscope"
"$root/tests/web/web.sh"
