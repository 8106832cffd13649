"""Writes gradients.safetensors: the loss of the next token and its gradients in every parameter of small
language models, computed by PyTorch in float64 and stored as float32.

Each case NAME has NAME.tokens (B, T + 1), NAME.loss (1), NAME.parameter.P and NAME.gradient.P for each
parameter P as core/language/language_model.h names it; matrices are (out, in).
"""
import json
import struct
from pathlib import Path

import torch


def layer_norm(x, p, name):
    if name + ".gain" not in p:
        return x
    return torch.nn.functional.layer_norm(x, x.shape[-1:], p[name + ".gain"], p[name + ".bias"], 1e-5)


def rotated(x):
    """Rotary positions of (B, H, T, d): pairs (j, j + d/2), base 10,000."""
    half = x.shape[-1] // 2
    frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * frequency
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def loss_of(p, tokens, layers, heads, kv_heads, rotary):
    ids, following = tokens[:, :-1], tokens[:, 1:]
    batch, length = ids.shape
    x = p["embedding"][ids]
    if not rotary:
        x = x + p["positions"][:length]
    width = x.shape[-1] // heads
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    for layer in range(layers):
        at = f"layers.{layer}."
        n = layer_norm(x, p, at + "attention_norm")
        q, k, v = ((n @ p[at + "W_" + c].T + p[at + "b_" + c]).view(batch, length, -1, width).transpose(1, 2) for c in "QKV")
        if rotary:
            q, k = rotated(q), rotated(k)
        k, v = (t.repeat_interleave(heads // kv_heads, 1) for t in (k, v))
        scores = (q @ k.transpose(-1, -2) / width**0.5).masked_fill(hidden, float("-inf"))
        together = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1)
        x = x + together @ p[at + "W_O"].T + p[at + "b_O"]
        if at + "up.weight" in p:
            n = layer_norm(x, p, at + "network_norm")
            u = n @ p[at + "up.weight"].T + p[at + "up.bias"]
            gelu = 0.5 * u * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (u + 0.044715 * u**3)))
            x = x + gelu @ p[at + "down.weight"].T + p[at + "down.bias"]
    logits = layer_norm(x, p, "final_norm") @ p["embedding"].T
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def case(layers=2, width=8, heads=2, kv_heads=2, networks=True, norms=True, rotary=False):
    shapes = {"embedding": (11, width)}
    if not rotary:
        shapes["positions"] = (9, width)
    keys = width // heads * kv_heads

    def norm(name):
        if norms:
            shapes[name + ".gain"] = shapes[name + ".bias"] = (width,)

    for layer in range(layers):
        at = f"layers.{layer}."
        norm(at + "attention_norm")
        for c, out in (("Q", width), ("K", keys), ("V", keys), ("O", width)):
            shapes[at + "W_" + c], shapes[at + "b_" + c] = (out, width), (out,)
        if networks:
            norm(at + "network_norm")
            for name, out, into in (("up", 4 * width, width), ("down", width, 4 * width)):
                shapes[at + name + ".weight"], shapes[at + name + ".bias"] = (out, into), (out,)
    norm("final_norm")
    p = {n: (0.4 * torch.randn(s, dtype=torch.float64)).float().double() for n, s in shapes.items()}
    for name in p:
        p[name].requires_grad_()
    tokens = torch.randint(0, 11, (3, 8))
    loss = loss_of(p, tokens, layers, heads, kv_heads, rotary)
    loss.backward()
    result = {"tokens": tokens, "loss": loss.detach().view(1)}
    for name, value in p.items():
        result["parameter." + name], result["gradient." + name] = value.detach(), value.grad
    return result


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    torch.manual_seed(1)
    cases = {
        "gpt2": case(),
        "attention_only": case(networks=False, norms=False),
        "no_networks": case(networks=False),
        "rotary_grouped": case(heads=2, kv_heads=1, rotary=True),
    }
    write(Path(__file__).parent / "gradients.safetensors",
          {f"{name}.{key}": t for name, each in cases.items() for key, t in each.items()})
