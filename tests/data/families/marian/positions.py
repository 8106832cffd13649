"""Adds the tables of positions to model.safetensors.

transformers wrote this folder from a model whose fixed positions had been drawn anew, and it does
not save them: the expected values belong to tables that the file lacks. They are the first hidden
states minus the scaled rows of the tokens. Run once, in this folder, on the files as they were made.
"""
import json
import math
import struct


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin : 8 + size + end])
        tensors[name] = (info["shape"], list(values))
    return tensors


def write(path, tensors):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, (shape, values) in tensors.items():
        end = offset + 4 * len(values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, values in tensors.values():
            file.write(struct.pack(f"<{len(values)}f", *values))


with open("config.json") as file:
    config = json.load(file)
with open("inputs.json") as file:
    ids = json.load(file)["1"]
width = config["d_model"]
model, expected = read("model.safetensors"), read("expected.safetensors")
embedding = model["model.shared.weight"][1]
for stack, key in (("encoder", "ids"), ("decoder", "decoder_ids")):
    states = expected[f"1.{stack}_hidden_states"][1]
    table = [0.0] * (config["max_position_embeddings"] * width)
    for place, token in enumerate(ids[key]):
        for j in range(width):
            row = math.sqrt(width) * embedding[token * width + j]
            table[place * width + j] = states[place * width + j] - row
    shape = [config["max_position_embeddings"], width]
    model[f"model.{stack}.embed_positions.weight"] = (shape, table)
write("model.safetensors", model)
