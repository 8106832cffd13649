"""Makes this folder: AlphaFold 2's row attention with pair bias (Jumper et al. 2021, supplementary
algorithm 7) on random numbers, written from the paper, with PyTorch in float64.

`expected.` are the steps' results in headscope's names, `expected.grad.` the gradients of
Σ output · grad_output. Two rows of an alignment share the bias of each pair.
"""
import json
import os
import struct

import numpy as np
import torch
from torch import nn

ROWS, RESIDUES, WIDTH, HEADS, CHANNELS = 2, 9, 40, 4, 10
torch.manual_seed(7)


def drawn(*shape, scale):
    values = (torch.rand(*shape) * 2 - 1) * scale
    return values.float().double().requires_grad_()


m = drawn(ROWS, RESIDUES, WIDTH, scale=1.5)  # the representation of the alignment
b = drawn(HEADS, RESIDUES, RESIDUES, scale=2.0)  # of the pairs, as it is added
scale = 1.7 / WIDTH**0.5
weights = {}
for name in ["q_proj", "k_proj", "v_proj", "gate_proj"]:
    weights[name + ".weight"] = drawn(HEADS * CHANNELS, WIDTH, scale=scale)
    weights[name + ".bias"] = drawn(HEADS * CHANNELS, scale=0.3)
weights["out_proj.weight"] = drawn(WIDTH, HEADS * CHANNELS, scale=scale)
weights["out_proj.bias"] = drawn(WIDTH, scale=0.3)
grad_output = drawn(ROWS, RESIDUES, WIDTH, scale=1.0)


def linear(name, x):
    return nn.functional.linear(x, weights[name + ".weight"], weights[name + ".bias"])


def channels(x):  # one head after the other
    return torch.stack(x.chunk(HEADS, dim=-1), dim=1)


q, k, v = (linear(name, m) for name in ["q_proj", "k_proj", "v_proj"])  # line 2, with biases
g = torch.sigmoid(linear("gate_proj", m))  # line 4
raw = torch.einsum("shic,shjc->shij", channels(q), channels(k))
scores = CHANNELS**-0.5 * raw
biased = scores + b  # line 5
a = biased.softmax(dim=-1)
mixed = torch.einsum("shij,shjc->shic", a, channels(v))
o = channels(g) * mixed  # line 6
joined = torch.cat(list(o.unbind(1)), dim=-1)
output = linear("out_proj", joined)  # line 7

results = {"q_proj": q, "k_proj": k, "v_proj": v, "raw_scores": raw, "scores": scores,
           "masked_scores": biased, "weights": a, "heads": mixed, "gate": channels(g), "gated": o,
           "concat": joined, "output": output}
operands = {"x": m, "pair_bias": b}
for letter, name in [("Q", "q_proj"), ("K", "k_proj"), ("V", "v_proj"), ("G", "gate_proj"),
                     ("O", "out_proj")]:
    operands["W_" + letter] = weights[name + ".weight"]
    operands["b_" + letter] = weights[name + ".bias"]
wanted = {**operands, "gated": o, "heads": mixed, "raw_scores": raw}
grads = torch.autograd.grad((output * grad_output).sum(), list(wanted.values()))

tensors = {"x": m, "pair_bias": b, "grad_output": grad_output, **weights}
tensors.update({"expected." + name: value for name, value in results.items()})
tensors.update({"expected.grad." + name: value for name, value in zip(wanted, grads)})


def save(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = np.ascontiguousarray(tensor.detach().numpy(), dtype=np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


folder = os.path.dirname(os.path.abspath(__file__))
save(os.path.join(folder, "row_attention.safetensors"), tensors)
