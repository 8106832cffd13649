"""Compares two safetensors files: the same tensors of the same shapes, and numbers that differ by
rounding alone, as those of two systems' matrix products do.

Usage: same_numbers.py A B
"""

import array
import json
import struct
import sys

ROUNDING = 1e-4  # of the largest number of a tensor


def tensors(path):
    """The shape and the numbers of each tensor of float32."""
    with open(path, "rb") as file:
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_bytes))
        found = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            begin, end = entry["data_offsets"]
            file.seek(8 + header_bytes + begin)
            found[name] = (entry["shape"], array.array("f", file.read(end - begin)))
        return found


a, b = tensors(sys.argv[1]), tensors(sys.argv[2])
if not a or a.keys() != b.keys():
    sys.exit(f"the tensors are {sorted(a)} and {sorted(b)}")
for name, (shape, numbers) in a.items():
    other_shape, others = b[name]
    if shape != other_shape:
        sys.exit(f"{name} is {shape} and {other_shape}")
    finite = [abs(x) for x in numbers if abs(x) != float("inf")]
    most = ROUNDING * max(finite, default=0.0) + 1e-6
    for i, (x, y) in enumerate(zip(numbers, others)):
        if x != y and not abs(x - y) <= most:
            sys.exit(f"{name}, number {i}: {x} and {y}")
