"""Makes this folder: a random OLMo and what its definition gives for two texts, in float64.

Independent of transformers: the pass below is written from the definition (Groeneveld et al. 2024;
rotary positions on halves, SwiGLU, LayerNorm without weights, biases or a tied readout).
"""
import json
import os
import struct

import numpy as np

D, H, KV, F, L, V = 32, 4, 2, 48, 2, 97
DK = D // H
rng = np.random.default_rng(7)
here = os.path.dirname(os.path.abspath(__file__))


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


def drawn(*shape):
    return (rng.standard_normal(shape) * 0.25).astype(np.float32)


weights = {"model.embed_tokens.weight": drawn(V, D), "lm_head.weight": drawn(V, D)}
for layer in range(L):
    at = f"model.layers.{layer}."
    for name, shape in {"self_attn.q_proj": (D, D), "self_attn.k_proj": (KV * DK, D),
                        "self_attn.v_proj": (KV * DK, D), "self_attn.o_proj": (D, D),
                        "mlp.gate_proj": (F, D), "mlp.up_proj": (F, D),
                        "mlp.down_proj": (D, F)}.items():
        weights[at + name + ".weight"] = drawn(*shape)


def norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)


def rotated(x):  # (heads, T, DK)
    angles = np.outer(np.arange(x.shape[1]), 10000.0 ** (-np.arange(0, DK, 2) / DK))
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., :DK // 2], x[..., DK // 2:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def passed(ids):
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    stream, states, attentions = w["model.embed_tokens.weight"][ids], [], []
    count = len(ids)
    for layer in range(L):
        own = {name.split(f"layers.{layer}.")[1][:-7]: values for name, values in w.items()
               if f"layers.{layer}." in name}
        states.append(stream)
        x = norm(stream)
        heads = {which: (x @ own[f"self_attn.{which}_proj"].T).reshape(count, -1, DK)
                 .transpose(1, 0, 2) for which in "qkv"}
        k, v = (np.repeat(heads[which], H // KV, 0) for which in "kv")
        scores = rotated(heads["q"]) @ rotated(k).transpose(0, 2, 1) / np.sqrt(DK)
        scores[:, np.triu(np.ones((count, count), bool), 1)] = -np.inf
        each = np.exp(scores - scores.max(-1, keepdims=True))
        each /= each.sum(-1, keepdims=True)
        attentions.append(each)
        joined = (each @ v).transpose(1, 0, 2).reshape(count, D)
        stream = stream + joined @ own["self_attn.o_proj"].T
        x = norm(stream)
        gate = x @ own["mlp.gate_proj"].T
        inner = gate / (1 + np.exp(-gate)) * (x @ own["mlp.up_proj"].T)
        stream = stream + inner @ own["mlp.down_proj"].T
    states.append(norm(stream))
    return {"attentions": np.stack(attentions), "hidden_states": np.stack(states),
            "logits": states[-1] @ w["lm_head.weight"].T}


inputs = {str(case): {"ids": rng.integers(0, V, size).tolist()} for case, size in enumerate((7, 12))}
config = {"architectures": ["OlmoForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
          "clip_qkv": None, "eos_token_id": 1, "hidden_act": "silu", "hidden_size": D,
          "initializer_range": 0.02, "intermediate_size": F, "max_position_embeddings": 64,
          "model_type": "olmo", "num_attention_heads": H, "num_hidden_layers": L,
          "num_key_value_heads": KV, "pad_token_id": 2, "rope_theta": 10000.0,
          "tie_word_embeddings": False, "use_cache": True, "vocab_size": V}
save("model.safetensors", weights)
save("expected.safetensors", {f"{case}.{name}": values for case, text in inputs.items()
                              for name, values in passed(text["ids"]).items()})
for name, content in {"config.json": config, "inputs.json": inputs}.items():
    with open(os.path.join(here, name), "w") as file:
        json.dump(content, file, indent=None if name == "inputs.json" else 2)
        file.write("\n")
