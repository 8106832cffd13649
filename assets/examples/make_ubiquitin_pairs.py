#!/usr/bin/env python3
"""Makes ubiquitin_pairs.csv: a bias for each pair of the first 32 residues of ubiquitin, 8 heads of
32 × 32, one below the other; the columns are the residues as keys.

AlphaFold computes such a bias from its representation of the pairs, by a linear layer without a
bias (Jumper et al. 2021, algorithm 7, line 3). Here three features of a pair are made up from what
is known of the protein's shape, and so is the linear layer:

    near     neighbours in the chain
    strands  partners in the hairpin of the strands 1 to 7 and 11 to 17: i + j = 18
    helix    one turn apart in the helix 23 to 32: |i − j| = 3 or 4

No randomness: running this again writes the same bytes:

    python3 make_ubiquitin_pairs.py
"""

import csv
import math
import pathlib

RESIDUES = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQD"
# of each head: near, strands, helix
WEIGHTS = [(0, 4, 0), (0, 0, 4), (3, 0, 0), (2, 2, 2), (-3, 2, 2), (0, 4, 4), (3, -2, -2), (0, 0, 0)]


def features(i, j):
    first, last = min(i, j), max(i, j)
    near = math.exp(-abs(i - j) / 2) if i != j else 0
    hairpin = first <= 7 and 11 <= last <= 17
    strands = math.exp(-abs(i + j - 18)) if hairpin else 0
    helix = 1 if first >= 23 and last - first in (3, 4) else 0
    return near, strands, helix


here = pathlib.Path(__file__).parent
count = len(RESIDUES)
with open(here / "ubiquitin_pairs.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(f"{letter}{place + 1}" for place, letter in enumerate(RESIDUES))
    for weights in WEIGHTS:
        for i in range(1, count + 1):
            row = []
            for j in range(1, count + 1):
                value = sum(w * f for w, f in zip(weights, features(i, j)))
                row.append(f"{value:.2f}".rstrip("0").rstrip("."))
            writer.writerow("0" if text == "-0" else text for text in row)
