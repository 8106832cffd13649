#!/usr/bin/env bash
# Runs cppcheck over core and app; anything it finds fails. cppcheck.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$1/cppcheck"
# Libraries' headers are not read: it does not need them. core/platform/page.cpp holds JavaScript.
exec cppcheck --std=c++20 --language=c++ --enable=warning,performance,portability \
  --inline-suppr --quiet --error-exitcode=1 -j "$(nproc)" --cppcheck-build-dir="$1/cppcheck" \
  -I . -i core/platform/page.cpp core app
