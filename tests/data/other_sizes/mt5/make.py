"""Makes this folder: a random mT5 and what its definition gives for two texts, in float64.

Independent of transformers: the pass below is written from the definition (Raffel et al. 2020, with
the gated networks of version 1.1, and a head of its own whose logits have no factor).
"""
import json
import math
import os
import struct

import numpy as np

D, H, DK, F, L, V, BUCKETS, FAR = 32, 4, 8, 48, 2, 97, 8, 128
rng = np.random.default_rng(3)
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


def gain():
    return (1 + rng.standard_normal(D) * 0.1).astype(np.float32)


weights = {"shared.weight": drawn(V, D), "lm_head.weight": drawn(V, D)}
for stack, attentions in {"encoder": ["SelfAttention"],
                          "decoder": ["SelfAttention", "EncDecAttention"]}.items():
    for layer in range(L):
        at = f"{stack}.block.{layer}.layer."
        for place, name in enumerate(attentions):
            for part in "qkv":
                weights[f"{at}{place}.{name}.{part}.weight"] = drawn(H * DK, D)
            weights[f"{at}{place}.{name}.o.weight"] = drawn(D, H * DK)
            weights[f"{at}{place}.layer_norm.weight"] = gain()
        if layer == 0:
            weights[f"{at}0.SelfAttention.relative_attention_bias.weight"] = drawn(BUCKETS, H)
        at += f"{len(attentions)}."
        for name, shape in {"wi_0": (F, D), "wi_1": (F, D), "wo": (D, F)}.items():
            weights[f"{at}DenseReluDense.{name}.weight"] = drawn(*shape)
        weights[f"{at}layer_norm.weight"] = gain()
    weights[f"{stack}.final_layer_norm.weight"] = gain()
w = {name: values.astype(np.float64) for name, values in weights.items()}


def norm(x, name):
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-6) * w[name + ".weight"]


def bucket(distance, both):  # of a key so many places behind its query
    first, count = (BUCKETS // 2 if both and distance > 0 else 0), BUCKETS // (1 + both)
    far = abs(distance) if both else max(-distance, 0)
    exact = count // 2
    if far < exact:
        return first + far
    steps = math.log(far / exact) / math.log(FAR / exact) * (count - exact)
    return first + min(exact + int(steps), count - 1)


def attend(x, memory, at, bias, causal):
    q, k, v = (part.reshape(len(part), H, DK).transpose(1, 0, 2) for part in
               (x @ w[at + "q.weight"].T, memory @ w[at + "k.weight"].T,
                memory @ w[at + "v.weight"].T))
    scores = q @ k.transpose(0, 2, 1) + bias
    if causal:
        scores[:, np.triu(np.ones((len(x), len(x)), bool), 1)] = -np.inf
    each = np.exp(scores - scores.max(-1, keepdims=True))
    each /= each.sum(-1, keepdims=True)
    return each, (each @ v).transpose(1, 0, 2).reshape(len(x), -1) @ w[at + "o.weight"].T


def network(x, at):
    gate = x @ w[at + "wi_0.weight"].T
    gate = 0.5 * gate * (1 + np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate ** 3)))
    return (gate * (x @ w[at + "wi_1.weight"].T)) @ w[at + "wo.weight"].T


def run(stack, ids, memory, expected):
    table = w[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    places = range(len(ids))
    bias = np.array([[table[bucket(key - query, memory is None)] for key in places]
                     for query in places]).transpose(2, 0, 1)
    x = w["shared.weight"][ids]
    states, own, cross = [x], [], []
    for layer in range(L):
        at = f"{stack}.block.{layer}.layer."
        n = norm(x, at + "0.layer_norm")
        each, change = attend(n, n, at + "0.SelfAttention.", bias, memory is not None)
        own.append(each)
        x = x + change
        if memory is not None:
            each, change = attend(norm(x, at + "1.layer_norm"), memory, at + "1.EncDecAttention.",
                                  0.0, False)
            cross.append(each)
            x = x + change
        at += "1." if memory is None else "2."
        x = x + network(norm(x, at + "layer_norm"), at + "DenseReluDense.")
        states.append(x)
    states[-1] = norm(x, f"{stack}.final_layer_norm")
    expected[f"{stack}_attentions"] = np.stack(own)
    expected[f"{stack}_hidden_states"] = np.stack(states)
    if memory is not None:
        expected["cross_attentions"] = np.stack(cross)
    return states[-1]


inputs = {"0": {"ids": [44, 59, 8, 32, 21, 10, 78], "decoder_ids": [8, 5, 55, 28, 7]},
          "1": {"ids": [39, 39, 34, 65, 11, 84, 39, 49, 92, 59, 12, 73],
                "decoder_ids": [51, 18, 64, 93, 52, 83]}}
expected = {}
for case, of in inputs.items():
    own = {}
    memory = run("encoder", of["ids"], None, own)
    own["logits"] = run("decoder", of["decoder_ids"], memory, own) @ w["lm_head.weight"].T
    expected.update({f"{case}.{name}": values for name, values in own.items()})

save("model.safetensors", weights)
save("expected.safetensors", expected)
for path, content in {
        "inputs.json": inputs,
        "config.json": {
            "architectures": ["MT5ForConditionalGeneration"], "d_ff": F, "d_kv": DK, "d_model": D,
            "decoder_start_token_id": 0, "eos_token_id": 1, "feed_forward_proj": "gated-gelu",
            "is_encoder_decoder": True, "layer_norm_epsilon": 1e-06, "model_type": "mt5",
            "num_decoder_layers": L, "num_heads": H, "num_layers": L, "pad_token_id": 0,
            "relative_attention_max_distance": FAR, "relative_attention_num_buckets": BUCKETS,
            "tie_word_embeddings": False, "vocab_size": V}}.items():
    with open(os.path.join(here, path), "w") as file:
        json.dump(content, file, indent=2 if path == "config.json" else None)
        file.write("\n")
