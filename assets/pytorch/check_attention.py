#!/usr/bin/env python3
"""Checks in PyTorch one pass of multi-head attention that headscope exported.

    python3 check_attention.py

needs torch and numpy alone (Debian: apt install python3-torch python3-numpy) and the folder
`tensors` beside it. Every step is computed in float64 by plain PyTorch and compared with what
headscope computed in float32: the largest difference may be 1e-5 of the tensor's largest value.
Each step starts from the saved tensors before it, so a difference stands at the step that made it.
Where torch.nn.MultiheadAttention can do the same, it is run from the input to the output.

Ends with 0 where everything agrees, with 1 where anything differs.
"""

import math
import sys
from pathlib import Path

import numpy as np
import torch

TENSORS = Path(__file__).resolve().parent / "tensors"
TOLERANCE = 1e-5
REAL = torch.float64

verdicts = {}


def load(name, *shape):
    """A saved tensor, which must have this shape where one is given."""
    path = TENSORS / f"{name}.npy"
    try:
        tensor = torch.from_numpy(np.load(path).astype(np.float64))
    except (OSError, ValueError, EOFError) as error:
        sys.exit(f"{path} cannot be read: {error}; export it again")
    if shape and tensor.shape != shape:
        sys.exit(f"{path} has the shape {tuple(tensor.shape)}, not {shape}; export it again")
    return tensor


def largest_difference(found, saved):
    """Infinite where only one is infinite, or one is not a number."""
    gap = (found - saved).abs()
    gap[found == saved] = 0.0  # infinities of one sign
    gap[gap.isnan()] = math.inf
    return gap.max().item()


def compare(name, found, saved, tolerance=TOLERANCE):
    """Prints one line of the table."""
    shape = str(tuple(saved.shape))
    if found.shape != saved.shape:
        verdicts[name] = False
        print(f"{name:<30} {shape:<22} DIFFERS: its shape is {tuple(found.shape)}")
        return
    gap = largest_difference(found, saved)
    largest = saved[saved.isfinite()].abs().max().item() if saved.isfinite().any() else 0.0
    limit = tolerance * largest
    verdicts[name] = gap <= limit
    verdict = "ok" if verdicts[name] else "DIFFERS"
    print(f"{name:<30} {shape:<22} {gap:>10.2e} {limit:>10.2e}  {verdict}")


def check(name, found):
    """Compares a step's tensor with the saved one, from which the next step goes on."""
    saved = load(name)
    compare(name, found, saved)
    return saved if saved.shape == found.shape else found


# @configuration

# @operands

print(f"{'tensor':<30} {'shape':<22} {'difference':>10} {'allowed':>10}")

# @steps

# @module

differing = [name for name, agrees in verdicts.items() if not agrees]
if differing:
    print(f"\n{len(differing)} of {len(verdicts)} tensors differ: {', '.join(differing)}")
    sys.exit(1)
print(f"\nall {len(verdicts)} tensors agree")
