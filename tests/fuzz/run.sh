#!/usr/bin/env bash
# Builds the fuzz targets with Clang's libFuzzer and runs them one after another, each from its
# seeds and from what earlier runs have kept in build/fuzz. Prints the executions of each; fails
# where one found something, which then lies in build/fuzz/found.
#   tests/fuzz/run.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds="${1:?how many seconds for each target?}"
shift
if [ $# -gt 0 ]; then
  targets=("$@")
else
  mapfile -t targets < <(cd tests/fuzz/seeds && printf '%s\n' *)
fi

cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}" >&2

status=0
for target in "${targets[@]}"; do
  corpus="build/fuzz/corpus/$target"
  log="build/fuzz/$target.log"
  mkdir -p "$corpus" build/fuzz/found
  # A file that is read slowly (a timeout) or into much memory is a finding, too.
  if ! "build/fuzz/fuzz_$target" "$corpus" "tests/fuzz/seeds/$target" \
    -dict=tests/fuzz/words.dict -max_total_time="$seconds" -max_len=65536 -timeout=10 \
    -rss_limit_mb=2048 -artifact_prefix="build/fuzz/found/$target-" \
    -print_final_stats=1 >"$log" 2>&1; then
    status=1
    printf '%s: something was found, see %s\n' "$target" "$log"
  fi
  awk -v target="$target" -v seconds="$seconds" '
    /^stat::number_of_executed_units/ { runs = $2 }
    END { printf "%s: %d executions in %d s\n", target, runs, seconds }' "$log"
done
exit "$status"
