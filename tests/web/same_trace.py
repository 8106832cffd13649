#!/usr/bin/python3
"""Two traces agree to 1e-5 of each tensor's largest value. Usage: same_trace.py <one> <other>"""
import json
import struct
import sys

import numpy


def tensors(path):
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[8 + size:], numpy.float32, -1)[
        t["data_offsets"][0] // 4:t["data_offsets"][1] // 4].reshape(t["shape"])
        for name, t in header.items() if t["dtype"] == "F32"}


one, other = map(tensors, sys.argv[1:])
if one.keys() != other.keys():
    sys.exit(f"not the same tensors: {sorted(one.keys() ^ other.keys())}")
worst = 0.0
for name, values in one.items():
    finite = numpy.isfinite(values)
    if values.shape != other[name].shape or (finite != numpy.isfinite(other[name])).any():
        sys.exit(f"{name}: not of the same shape, or not masked alike")
    largest = max(abs(values[finite]).max(initial=0.0), 1e-30)
    difference = abs(values[finite] - other[name][finite]).max(initial=0.0) / largest
    worst = max(worst, difference)
    if not difference <= 1e-5:
        sys.exit(f"{name}: differs by {difference:.1e} of its largest value")
print(f"{len(one)} tensors agree, to {worst:.1e} of each one's largest value.")
