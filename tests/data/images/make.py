"""Writes gradients.safetensors: the loss of naming three pictures and its gradients in every parameter of a small
image model, computed by PyTorch in float64 and stored as float32.

It has `rgb` (B, 48, 48, 3), numbers from 0 to 255, `kinds` (B), `loss` (1), `logits` (B, 3), parameter.P and gradient.P
for each parameter P as core/images/image_model.h names it; matrices are (out, in).
"""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "language"))
from make import layer_norm, write  # noqa: E402

LAYERS, WIDTH, HEADS, PATCH, SIDE, KINDS = 2, 8, 2, 16, 48, 3


def logits_of(p, rgb):
    pixels = ((rgb / 255 - 0.5) / 0.5).permute(0, 3, 1, 2)
    kernels = p["patches.weight"].view(WIDTH, 3, PATCH, PATCH)
    patches = torch.nn.functional.conv2d(pixels, kernels, p["patches.bias"], stride=PATCH).flatten(2).transpose(1, 2)
    batch = len(rgb)
    x = torch.cat([p["class_token"].expand(batch, 1, WIDTH), patches], 1) + p["positions"]
    for layer in range(LAYERS):
        at = f"layers.{layer}."
        n = layer_norm(x, p, at + "attention_norm")
        q, k, v = ((n @ p[at + "W_" + c].T + p[at + "b_" + c]).view(batch, -1, HEADS, WIDTH // HEADS).transpose(1, 2)
                   for c in "QKV")
        weights = (q @ k.transpose(-1, -2) / (WIDTH // HEADS)**0.5).softmax(-1)
        x = x + (weights @ v).transpose(1, 2).reshape(batch, -1, WIDTH) @ p[at + "W_O"].T + p[at + "b_O"]
        u = layer_norm(x, p, at + "network_norm") @ p[at + "up.weight"].T + p[at + "up.bias"]
        x = x + torch.nn.functional.gelu(u) @ p[at + "down.weight"].T + p[at + "down.bias"]
    return layer_norm(x[:, 0], p, "final_norm") @ p["classifier.weight"].T + p["classifier.bias"]


def parameters():
    shapes = {"patches.weight": (WIDTH, 3 * PATCH * PATCH), "patches.bias": (WIDTH,), "class_token": (1, WIDTH),
              "positions": (1 + (SIDE // PATCH)**2, WIDTH)}
    for layer in range(LAYERS):
        at = f"layers.{layer}."
        for norm in ("attention_norm", "network_norm"):
            shapes[at + norm + ".gain"] = shapes[at + norm + ".bias"] = (WIDTH,)
        for c in "QKVO":
            shapes[at + "W_" + c], shapes[at + "b_" + c] = (WIDTH, WIDTH), (WIDTH,)
        for name, out, into in (("up", 4 * WIDTH, WIDTH), ("down", WIDTH, 4 * WIDTH)):
            shapes[at + name + ".weight"], shapes[at + name + ".bias"] = (out, into), (out,)
    shapes["final_norm.gain"] = shapes["final_norm.bias"] = (WIDTH,)
    shapes["classifier.weight"], shapes["classifier.bias"] = (KINDS, WIDTH), (KINDS,)
    # sums of 768 pixels stay as large as the other numbers of the stream
    scale = {"patches.weight": 0.04}
    drawn = {n: (scale.get(n, 0.4) * torch.randn(s, dtype=torch.float64)).float().double() for n, s in shapes.items()}
    return {name: value.requires_grad_() for name, value in drawn.items()}


if __name__ == "__main__":
    torch.manual_seed(1)
    p = parameters()
    rgb = torch.randint(0, 256, (3, SIDE, SIDE, 3)).double()
    kinds = torch.tensor([2, 0, 1])
    logits = logits_of(p, rgb)
    loss = torch.nn.functional.cross_entropy(logits, kinds)
    loss.backward()
    result = {"rgb": rgb, "kinds": kinds, "loss": loss.detach().view(1), "logits": logits.detach()}
    for name, value in p.items():
        result["parameter." + name], result["gradient." + name] = value.detach(), value.grad
    write(Path(__file__).parent / "gradients.safetensors", result)
