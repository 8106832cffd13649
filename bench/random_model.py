#!/usr/bin/env python3
"""Writes a model folder with random weights, of GPT-2 small's shape unless told otherwise: for
timing, and to try what a whole model looks like where none can be fetched. With --image it is a
ViT of that shape, which reads images of 224 × 224 in patches of 16 × 16.

    bench/random_model.py DIR [--layers 12] [--width 768] [--heads 12] [--vocabulary 50257] [--image]
"""
import argparse
import json
import pathlib
import random
import struct
from array import array

parser = argparse.ArgumentParser()
parser.add_argument("directory", type=pathlib.Path)
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--width", type=int, default=768)
parser.add_argument("--heads", type=int, default=12)
parser.add_argument("--vocabulary", type=int, default=50257)
parser.add_argument("--positions", type=int, default=1024)
parser.add_argument("--image", action="store_true")
a = parser.parse_args()

d = a.width


def image_model():
    side, patch, labels = 224, 16, 10
    config = {"model_type": "vit", "architectures": ["ViTForImageClassification"],
              "hidden_size": d, "num_hidden_layers": a.layers, "num_attention_heads": a.heads,
              "intermediate_size": 4 * d, "image_size": side, "patch_size": patch,
              "num_channels": 3, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "qkv_bias": True,
              "id2label": {str(i): f"label {i}" for i in range(labels)}}
    tokens = (side // patch) ** 2 + 1
    shapes = {"classifier.weight": ((labels, d), d ** -0.5, 0.0),
              "classifier.bias": ((labels,), 0.02, 0.0),
              "vit.embeddings.cls_token": ((1, 1, d), 0.1, 0.0),
              "vit.embeddings.position_embeddings": ((1, tokens, d), 0.1, 0.0),
              "vit.embeddings.patch_embeddings.projection.weight": ((d, 3, patch, patch), 0.04, 0.0),
              "vit.embeddings.patch_embeddings.projection.bias": ((d,), 0.02, 0.0)}
    norms = ["layernorm"] + [f"encoder.layer.{l}.layernorm_{n}"
                             for l in range(a.layers) for n in ("before", "after")]
    for norm in norms:
        shapes[f"vit.{norm}.weight"] = ((d,), 0.05, 1.0)
        shapes[f"vit.{norm}.bias"] = ((d,), 0.05, 0.0)
    for layer in range(a.layers):
        for name, inner, outer in (("attention.attention.query", d, d),
                                   ("attention.attention.key", d, d),
                                   ("attention.attention.value", d, d),
                                   ("attention.output.dense", d, d),
                                   ("intermediate.dense", d, 4 * d), ("output.dense", 4 * d, d)):
            at = f"vit.encoder.layer.{layer}.{name}"
            shapes[f"{at}.weight"] = ((outer, inner), inner ** -0.5, 0.0)
            shapes[f"{at}.bias"] = ((outer,), 0.02, 0.0)
    return config, shapes


config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": d,
          "n_layer": a.layers, "n_head": a.heads, "n_positions": a.positions,
          "vocab_size": a.vocabulary, "activation_function": "gelu_new",
          "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True}

# name: (shape, standard deviation, mean), as GPT-2's own start
shapes = {"transformer.wte.weight": ((a.vocabulary, d), 0.02, 0.0),
          "transformer.wpe.weight": ((a.positions, d), 0.02, 0.0)}
for norm in ["ln_f"] + [f"h.{l}.ln_{n}" for l in range(a.layers) for n in (1, 2)]:
    shapes[f"transformer.{norm}.weight"] = ((d,), 0.05, 1.0)
    shapes[f"transformer.{norm}.bias"] = ((d,), 0.05, 0.0)
for layer in range(a.layers):
    for name, inner, outer in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d),
                               ("mlp.c_fc", d, 4 * d), ("mlp.c_proj", 4 * d, d)):
        # wide enough for heads to differ from one another
        shapes[f"transformer.h.{layer}.{name}.weight"] = ((inner, outer), inner ** -0.5, 0.0)
        shapes[f"transformer.h.{layer}.{name}.bias"] = ((outer,), 0.02, 0.0)

if a.image:
    config, shapes = image_model()

# drawing 124 million numbers takes Python minutes: one run of a prime length is laid end to end
draw = random.Random(1)
run = [draw.gauss(0.0, 1.0) for _ in range(1_000_003)]
begin = place = 0
header = {}
for name, (shape, _, _) in shapes.items():
    count = 1
    for length in shape:
        count *= length
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, begin + 4 * count]}
    begin += 4 * count
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
a.directory.mkdir(parents=True, exist_ok=True)
(a.directory / "config.json").write_text(json.dumps(config, indent=1))
with open(a.directory / "model.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text)
    scaled = {}
    for name, (shape, deviation, mean) in shapes.items():
        key = (deviation, mean)
        if key not in scaled:
            scaled[key] = array("f", (mean + deviation * x for x in run))
        left = (header[name]["data_offsets"][1] - header[name]["data_offsets"][0]) // 4
        while left > 0:
            part = scaled[key][place:place + left]
            file.write(part.tobytes())
            left -= len(part)
            place = (place + len(part)) % len(run)
