"""Makes the folders of this one that transformers did not write: random models that read images, and
what their definitions give for two inputs, in float64.

Independent of transformers: the passes below are written from the definitions with PyTorch's
functions (ViT: Dosovitskiy et al. 2021; DeiT: Touvron et al. 2021; DINOv2: Oquab et al. 2023, with
registers Darcet et al. 2023; CLIP: Radford et al. 2021). Debian's python3-torch runs it.
"""
import json
import os
import struct

import numpy as np
import torch
import torch.nn.functional as F

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(11)
D, H, L = 32, 4, 2


def save(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        part = np.ascontiguousarray(values, dtype=np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(here, path), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def save_folder(folder, config, weights, expected, inputs):
    os.makedirs(os.path.join(here, folder), exist_ok=True)
    save(f"{folder}/model.safetensors", weights)
    save(f"{folder}/expected.safetensors", expected)
    for name, content in {"config.json": config, "inputs.json": inputs}.items():
        with open(os.path.join(here, folder, name), "w") as file:
            json.dump(content, file, indent=None if name == "inputs.json" else 2)
            file.write("\n")


def drawn(*shape, scale=0.2):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def add_linear(weights, name, out, into, bias=True):
    weights[name + ".weight"] = drawn(out, into)
    if bias:
        weights[name + ".bias"] = drawn(out)


def add_norm(weights, name, width=D):
    weights[name + ".weight"] = 1 + drawn(width)
    weights[name + ".bias"] = drawn(width)


# Names of a layer's tensors: norms, queries, keys, values, output, the network's two matrices.
VIT = ("layernorm_before", "layernorm_after", "attention.attention.query",
       "attention.attention.key", "attention.attention.value", "attention.output.dense",
       "intermediate.dense", "output.dense")
DINO = ("norm1", "norm2") + VIT[2:6] + ("mlp.fc1", "mlp.fc2")
CLIP = ("layer_norm1", "layer_norm2", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
        "self_attn.out_proj", "mlp.fc1", "mlp.fc2")


def add_layer(weights, at, names, width, qkv_bias=True, swiglu=False, scaled=False):
    for name in names[:2]:
        add_norm(weights, at + name)
    for name in names[2:5]:
        add_linear(weights, at + name, D, D, qkv_bias)
    add_linear(weights, at + names[5], D, D)
    if swiglu:
        add_linear(weights, at + "mlp.weights_in", 2 * width, D)
        add_linear(weights, at + "mlp.weights_out", D, width)
    else:
        add_linear(weights, at + names[6], width, D)
        add_linear(weights, at + names[7], D, width)
    if scaled:
        weights[at + "layer_scale1.lambda1"] = drawn(D, scale=0.7)
        weights[at + "layer_scale2.lambda1"] = drawn(D, scale=0.7)


class Pass:
    """One encoder over its weights `w`, in float64."""

    def __init__(self, weights, base, eps):
        self.w = {name[len(base):]: torch.from_numpy(values.astype(np.float64))
                  for name, values in weights.items() if name.startswith(base)}
        self.eps = eps
        self.states, self.attentions = [], []

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w.get(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, (D,), self.w[name + ".weight"], self.w[name + ".bias"], self.eps)

    def layer(self, x, at, names, act, causal=False, swiglu=False):
        self.states.append(x)
        count = x.shape[0]
        y = self.norm(x, at + names[0])
        q, k, v = (self.linear(y, at + name).view(count, H, D // H).transpose(0, 1)
                   for name in names[2:5])
        scores = q @ k.transpose(1, 2) / (D // H) ** 0.5
        if causal:
            scores = scores.masked_fill(torch.ones(count, count).triu(1).bool(), -torch.inf)
        each = scores.softmax(-1)
        self.attentions.append(each)
        added = self.linear((each @ v).transpose(0, 1).reshape(count, D), at + names[5])
        x = x + added * self.w.get(at + "layer_scale1.lambda1", 1.0)
        y = self.norm(x, at + names[1])
        if swiglu:
            gate, up = self.linear(y, at + "mlp.weights_in").chunk(2, -1)
            added = self.linear(F.silu(gate) * up, at + "mlp.weights_out")
        else:
            added = self.linear(act(self.linear(y, at + names[6])), at + names[7])
        return x + added * self.w.get(at + "layer_scale2.lambda1", 1.0)

    def patches(self, pixels, name, patch):
        cut = F.conv2d(torch.from_numpy(pixels.astype(np.float64))[None], self.w[name + ".weight"],
                       self.w.get(name + ".bias"), stride=patch)
        return cut.flatten(2)[0].T, cut.shape[2:]

    def positions(self, name, learned, own, grid, antialias):
        """Those of the learned tokens, and those of the patches on another grid."""
        all_ = self.w[name].view(-1, D)
        if tuple(own) == tuple(grid):
            return all_[:learned], all_[learned:]
        square = all_[learned:].T.reshape(1, D, *own)
        there = F.interpolate(square, size=tuple(grid), mode="bicubic", align_corners=False,
                              antialias=antialias)
        return all_[:learned], there.flatten(2)[0].T

    def result(self):
        return {"attentions": torch.stack(self.attentions), "hidden_states": torch.stack(self.states)}


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def image_config(kind, architecture, size, patch, **more):
    return {"architectures": [architecture], "hidden_size": D, "image_size": size,
            "layer_norm_eps": 1e-6, "model_type": kind, "num_attention_heads": H,
            "num_hidden_layers": L, "patch_size": patch, **more}


def make_vit(folder, kind, architecture, size, patch, channels, sizes, *, labels=0, teacher=False,
             qkv_bias=True, registers=0, swiglu=False, act=F.gelu, act_name="gelu"):
    """A ViT, DeiT or DINOv2, and its passes over images of these sizes."""
    dino, deit = kind.startswith("dinov2"), kind == "deit"
    names = DINO if dino else VIT
    base = kind + "." if labels else ""
    width = 2 * D if dino else 48
    if swiglu:
        width = (int(2 * D * 2 / 3) + 7) // 8 * 8
    height, wide = size if isinstance(size, list) else (size, size)
    own = (height // patch, wide // patch)
    learned = 2 if deit else 1
    at = base + "embeddings."
    weights = {at + "cls_token": drawn(1, 1, D),
               at + "position_embeddings": drawn(1, learned + own[0] * own[1], D),
               at + "patch_embeddings.projection.weight": drawn(D, channels, patch, patch),
               at + "patch_embeddings.projection.bias": drawn(D)}
    if deit:
        weights[at + "distillation_token"] = drawn(1, 1, D)
    if dino:
        weights[at + "mask_token"] = drawn(1, D)
    if registers:
        weights[at + "register_tokens"] = drawn(1, registers, D)
    for layer in range(L):
        add_layer(weights, f"{base}encoder.layer.{layer}.", names, width, qkv_bias, swiglu, dino)
    add_norm(weights, base + "layernorm")
    if teacher:
        add_linear(weights, "cls_classifier", labels, D)
        add_linear(weights, "distillation_classifier", labels, D)
    elif labels:
        add_linear(weights, "classifier", labels, 2 * D if dino else D)
    else:
        add_linear(weights, "pooler.dense", D, D)
    heads = {name: torch.from_numpy(values.astype(np.float64)) for name, values in weights.items()}

    def readout(x, name):
        return F.linear(x, heads[name + ".weight"], heads[name + ".bias"])

    expected = {}
    for case, image in enumerate(sizes):
        pixels = drawn(channels, *image, scale=1.0)
        run = Pass(weights, base, 1e-6)
        patches, grid = run.patches(pixels, "embeddings.patch_embeddings.projection", patch)
        first, rest = run.positions("embeddings.position_embeddings", learned, own, grid,
                                    registers > 0)
        specials = [run.w["embeddings.cls_token"][0] + first[:1]]
        if deit:
            specials.append(run.w["embeddings.distillation_token"][0] + first[1:])
        if registers:
            specials.append(run.w["embeddings.register_tokens"][0])
        x = torch.cat(specials + [patches + rest])
        before = x.shape[0] - patches.shape[0]
        for layer in range(L):
            x = run.layer(x, f"encoder.layer.{layer}.", names, act, swiglu=swiglu)
        run.states.append(x)
        last = run.norm(x, "layernorm")
        found = run.result()
        if teacher:
            found["logits"] = (readout(last[0], "cls_classifier") +
                               readout(last[1], "distillation_classifier")) / 2
        elif labels and dino:
            found["logits"] = readout(torch.cat([last[0], last[before:].mean(0)]), "classifier")
        elif labels:
            found["logits"] = readout(last[0], "classifier")
        else:
            found["last_hidden_state"] = last
        found["pixel_values"] = torch.from_numpy(pixels)
        expected.update({f"{case}.{name}": values.numpy() for name, values in found.items()})
    more = {"hidden_act": act_name, "num_channels": channels, "qkv_bias": qkv_bias}
    if labels:
        more["id2label"] = {str(i): f"kind {i}" for i in range(labels)}
    if dino:
        more.update({"layerscale_value": 1.0, "mlp_ratio": 2, "use_swiglu_ffn": swiglu})
    else:
        more["intermediate_size"] = width
    if registers:
        more["num_register_tokens"] = registers
    inputs = {str(case): {"pixel_values": [channels, *image]} for case, image in enumerate(sizes)}
    save_folder(folder, image_config(kind, architecture, size, patch, **more), weights, expected,
                inputs)


def make_clip():
    """A CLIP, and the match of two images with three texts."""
    P, V, END, SIZE, PATCH = 24, 97, 96, 16, 4
    weights = {"logit_scale": np.array(1.3, np.float32)}
    at = "vision_model.embeddings."
    weights[at + "class_embedding"] = drawn(D)
    weights[at + "patch_embedding.weight"] = drawn(D, 3, PATCH, PATCH)
    weights[at + "position_embedding.weight"] = drawn(1 + (SIZE // PATCH) ** 2, D)
    add_norm(weights, "vision_model.pre_layrnorm")
    add_norm(weights, "vision_model.post_layernorm")
    at = "text_model.embeddings."
    weights[at + "token_embedding.weight"] = drawn(V, D)
    weights[at + "position_embedding.weight"] = drawn(20, D)
    add_norm(weights, "text_model.final_layer_norm")
    for half in ("vision_model", "text_model"):
        for layer in range(L):
            add_layer(weights, f"{half}.encoder.layers.{layer}.", CLIP, 48)
    weights["visual_projection.weight"] = drawn(P, D)
    weights["text_projection.weight"] = drawn(P, D)
    heads = {name: torch.from_numpy(np.asarray(values, np.float64)) for name, values in weights.items()}
    texts = [rng.integers(0, END, count).tolist() + [END] for count in (4, 7, 2)]
    inputs, expected = {}, {}

    def direction(x, name):
        x = F.linear(x, heads[name + ".weight"])
        return x / x.norm()

    for case in range(2):
        pixels = drawn(3, SIZE, SIZE, scale=1.0)
        run = Pass(weights, "vision_model.", 1e-5)
        patches, _ = run.patches(pixels, "embeddings.patch_embedding", PATCH)
        x = torch.cat([run.w["embeddings.class_embedding"][None], patches])
        x = run.norm(x + run.w["embeddings.position_embedding.weight"], "pre_layrnorm")
        for layer in range(L):
            x = run.layer(x, f"encoder.layers.{layer}.", CLIP, quick_gelu)
        run.states.append(x)
        found = run.result()
        found["last_hidden_state"] = x
        image = direction(run.norm(x[0], "post_layernorm"), "visual_projection")
        rows = []
        for ids in texts:
            run = Pass(weights, "text_model.", 1e-5)
            x = run.w["embeddings.token_embedding.weight"][ids]
            x = x + run.w["embeddings.position_embedding.weight"][:len(ids)]
            for layer in range(L):
                x = run.layer(x, f"encoder.layers.{layer}.", CLIP, quick_gelu, causal=True)
            last = run.norm(x, "final_layer_norm")
            rows.append(direction(last[len(ids) - 1], "text_projection"))
        found["image_embeds"], found["text_embeds"] = image, torch.stack(rows)
        found["logits_per_image"] = heads["logit_scale"].exp() * torch.stack(rows) @ image
        found["pixel_values"] = torch.from_numpy(pixels)
        expected.update({f"{case}.{name}": values.numpy() for name, values in found.items()})
        inputs[str(case)] = {"texts": texts, "pixel_values": [3, SIZE, SIZE]}
    half = {"hidden_size": D, "intermediate_size": 48, "num_attention_heads": H,
            "num_hidden_layers": L, "projection_dim": P}
    config = {"architectures": ["CLIPModel"], "logit_scale_init_value": 2.6592,
              "model_type": "clip", "projection_dim": P,
              "text_config": {**half, "eos_token_id": END, "max_position_embeddings": 20,
                              "model_type": "clip_text_model", "vocab_size": V},
              "vision_config": {**half, "image_size": SIZE, "model_type": "clip_vision_model",
                                "patch_size": PATCH}}
    save_folder("clip", config, weights, expected, inputs)


make_vit("vit_plain", "vit", "ViTModel", [12, 20], 4, 1, [(12, 20), (12, 20)], qkv_bias=False,
         act=F.relu, act_name="relu")
make_vit("deit_teacher", "deit", "DeiTForImageClassificationWithTeacher", 15, 3, 3,
         [(15, 15), (15, 15)], labels=7, teacher=True)
make_vit("dinov2_labels", "dinov2", "Dinov2ForImageClassification", 20, 4, 3, [(20, 20), (29, 14)],
         labels=6, qkv_bias=False)
make_vit("dinov2_registers", "dinov2_with_registers", "Dinov2WithRegistersForImageClassification",
         24, 4, 3, [(24, 24), (12, 40)], labels=6, registers=3, swiglu=True)
make_clip()
