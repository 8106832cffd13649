#!/usr/bin/env python3
"""Holds the instructions of one warm pass to those noted, for three shapes.

Usage: count.py PASS_COUNT [--note]. Counts with valgrind's callgrind, which is repeatable where
times are not. More than 5 % above those of counts.json fails; --note writes them there. With a
compiler or oneDNN that counts.json does not know, it fails and says how to note them.
"""

import json
import os
import re
import subprocess
import sys

SHAPES = ["256 8 30", "768 12 128", "512 8 512"]
MOST = 1.05
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counts.json")


def count(program, shape):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         "--toggle-collect=counted_pass", program, *shape.split()],
        stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def main():
    program, note = sys.argv[1], "--note" in sys.argv[2:]
    toolchain = subprocess.check_output([program], text=True).strip()
    noted = {}
    if os.path.exists(FILE):
        with open(FILE, encoding="utf-8") as file:
            noted = json.load(file)
    counts = {shape: count(program, shape) for shape in SHAPES}
    if note:
        noted[toolchain] = counts
        with open(FILE, "w", encoding="utf-8") as file:
            json.dump(noted, file, indent=2)
            file.write("\n")
    if toolchain not in noted:
        sys.exit(f"no counts are noted for {toolchain}: run {__file__} {program} --note and look at "
                 f"what it adds to counts.json beside the others: {counts}")
    grown = []
    for shape, now in counts.items():
        before = noted[toolchain][shape]
        print(f"{toolchain}: {shape}: {now:,} instructions, noted {before:,} ({now / before:.3f})")
        if now > MOST * before:
            grown.append(shape)
    if grown:
        sys.exit(f"more than {MOST:.2f} times what is noted: {', '.join(grown)}")


main()
