"""Checks a trace file: its tokens are the given words, and it holds every step's tensors.

Usage: check_trace.py TRACE WORD...
"""

import json
import struct
import sys

TENSORS = ["q_proj", "k_proj", "v_proj", "q", "k", "v", "raw_scores", "scores", "masked_scores",
           "weights", "heads", "concat", "output"]

path, words = sys.argv[1], sys.argv[2:]
with open(path, "rb") as file:
    (header_bytes,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(header_bytes))

tokens = json.loads(header["__metadata__"]["tokens"])
if tokens and isinstance(tokens[0], list):  # one list per batch item
    tokens = tokens[0]
if tokens != words:
    sys.exit(f"tokens are {tokens}, not {words}")
missing = [name for name in TENSORS if name not in header]
if missing:
    sys.exit(f"tensors are missing: {missing}")
if header["output"]["shape"][1] != len(words):
    sys.exit(f"output has shape {header['output']['shape']} for {len(words)} tokens")
