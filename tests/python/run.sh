#!/usr/bin/env bash
# Runs module_test.py by a Python with NumPy: the first on the path, or the system's, which apt
# installs into. run.sh PROGRAM
set -euo pipefail
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    exec "$python" "$(dirname "${BASH_SOURCE[0]}")/module_test.py" "$1"
  fi
done
echo "no python3 has numpy: install python3-numpy" >&2
exit 1
