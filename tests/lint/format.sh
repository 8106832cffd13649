#!/usr/bin/env bash
# Checks every C++ file against .clang-format, with clang-format 14: other versions format
# differently. Where that version is not installed the check is skipped (exit status 77).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
formatter="$(command -v clang-format-14 || command -v clang-format || true)"
if [[ -z "$formatter" || "$("$formatter" --version)" != *" version 14."* ]]; then
  echo "The format of the C++ files is not checked: clang-format 14 is not installed here."
  exit 77
fi
find app bench core tests \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 "$formatter" --dry-run --Werror
