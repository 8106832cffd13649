#!/usr/bin/env bash
# Builds core/ and its tests with GCC's line counters, runs them and prints how many lines of each
# file ran, and which did not.
#   tests/coverage.sh [LEAST]   fails below LEAST % of all lines (95)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../third_party/setup.sh"
least="${1:-95}"

install_packages build test coverage
configure coverage
build coverage core_tests
find "$root/build/coverage" -name '*.gcda' -delete
log="$root/build/coverage/core_tests.log"
if ! (cd "$root/build/coverage/tests/work" && ../../core_tests) >"$log" 2>&1; then
  say "Some test fails: see $log"
  exit 1
fi
# Lines that only close a block or can only throw belong to what stands above them.
exec gcovr --root "$root" --object-directory "$root/build/coverage" --filter "$root/core/" \
  --exclude-throw-branches --sort-percentage --print-summary --fail-under-line "$least" \
  "$root/build/coverage"
