#!/usr/bin/env python3
"""What configurations hold, as the program counts it, beside the most that its process held.

Usage: bench/memory.py [--large] [build/release/headscope_bench]

Each configuration has a process of its own, which opens it, draws the window offscreen, changes what
every result depends on (the biases) and draws again, with the results before still on the screen.
The peak is the resident memory above that of the same program with eight numbers a token. Exits 1
where a peak above 100 MB is more than 1.3 times what is counted.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

CONFIGURATIONS = [(512, 8, 6), (768, 12, 128), (1024, 16, 1024), (768, 96, 64)]
LARGE = (256, 16, 4096)  # 8.6 GB at its peak
IDLE = (8, 2, 3)
MOST = 1.3
BYTES_THAT_COUNT = 100e6  # below, the program itself is more than its data


def measure(bench, sizes):
    environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1")
    answer = subprocess.run([bench, "--memory=" + ",".join(map(str, sizes))], env=environment,
                            check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--large", action="store_true",
                        help="also 16 heads of 4096 tokens, which takes 9 GB and a minute")
    parser.add_argument("bench", nargs="?", default=str(root / "build/release/headscope_bench"))
    options = parser.parse_args()

    idle = measure(options.bench, IDLE)
    print(f"idle program: {idle['peak_edited'] / 1e6:.0f} MB")
    print("| D, H, T | counted, opened (MB) | peak | ratio | counted, edited (MB) | peak | ratio |")
    print("|---|---|---|---|---|---|---|")
    missed = False
    for sizes in CONFIGURATIONS + ([LARGE] if options.large else []):
        found = measure(options.bench, sizes)
        row = [", ".join(map(str, sizes))]
        for suffix in ("", "_edited"):
            counted = found["counted" + suffix]
            peak = found["peak" + suffix] - idle["peak" + suffix]
            ratio = peak / counted
            missed = missed or (peak > BYTES_THAT_COUNT and ratio > MOST)
            row += [f"{counted / 1e6:.1f}", f"{peak / 1e6:.1f}", f"{ratio:.2f}"]
        print("| " + " | ".join(row) + " |", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
