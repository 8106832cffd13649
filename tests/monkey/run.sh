#!/usr/bin/env bash
# Lets monkeys loose on the program built with AddressSanitizer and UndefinedBehaviorSanitizer.
# Each seed starts the program once and gives it 400 events; what fails is run again by its seed:
#   tests/monkey/run.sh EVENTS [SEED]
#   tests/monkey/run.sh 400 SEED
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ -f build/asan/build.ninja ] || cmake --preset asan >/dev/null
cmake --build build/asan --target monkey_tests >&2
export HEADSCOPE_MONKEY_EVENTS="${1:?how many events?}" HEADSCOPE_MONKEY_SEED="${2:-1}"
exec build/asan/monkey_tests --gtest_filter='*DoesAsMuchAsItIsAsked' --gtest_brief=1
