#!/usr/bin/env bash
# Builds with ThreadSanitizer and runs what the threads share: the engine's team, passes, the worker
# and background tasks, edits faster than they are computed; and, with `app`, the whole interface.
# Fails on any report.
#   tests/threads.sh [app] [GTEST_FLAG...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../third_party/setup.sh"
programs=(thread_tests)
if [ "${1:-}" = app ]; then
  programs+=(app_tests)
  shift
fi

install_packages build test
configure tsan
build tsan "${programs[@]}"
export TSAN_OPTIONS="exitcode=66"
export LIBGL_ALWAYS_SOFTWARE=1
cd "$root/build/tsan/tests/work"
for program in "${programs[@]}"; do
  "../../$program" "$@"
done
