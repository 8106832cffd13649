#!/usr/bin/env python3
"""Holds the instructions of one warm pass to those noted, for three shapes.

Usage: count.py PASS_COUNT [--note]. Counts with valgrind's callgrind, which is repeatable where
times are not. More than 5 % above those of counts.json fails; --note writes them there. A compiler
or oneDNN that counts.json does not know must stay below twice the most that is noted for others.
"""

import json
import os
import re
import subprocess
import sys

SHAPES = ["256 8 30", "768 12 128", "512 8 512"]
MOST = 1.05
MOST_OF_OTHERS = 2.0
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
    known = toolchain in noted
    most = MOST if known else MOST_OF_OTHERS
    if not known:
        print(f"nothing is noted for {toolchain}; {__file__} {program} --note would")
    grown = []
    for shape, now in counts.items():
        before = max(each[shape] for name, each in noted.items() if not known or name == toolchain)
        print(f"{toolchain}: {shape}: {now:,} instructions, noted {before:,} ({now / before:.3f})")
        if now > most * before:
            grown.append(shape)
    if grown:
        sys.exit(f"more than {most:.2f} times what is noted: {', '.join(grown)}")


main()
