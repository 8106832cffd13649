#!/usr/bin/python3
"""Trains the language model that ships with the program again, by the command of assets/models/README.md.

    train_again.py PROGRAM SOURCE_DIR WORK_DIR

The last bits of products depend on the processor, and training makes such differences larger, so the numbers of
the new model need not be those of the shipped one. It must have the same tensors and tokens, and answer what the
shipped one answers. Prints whether the files are equal.
"""

import json
import re
import struct
import subprocess
import sys
from pathlib import Path


def header(path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))


def main():
    program, source, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    shipped, made = source / "assets/models/stories", work / "stories"
    readme = (source / "assets/models/README.md").read_text()
    flags = re.search(r"headscope (train --task stories .*) --save-model", readme).group(1).split()
    result = subprocess.run([program, *flags, "--save-model", made, "--json"], check=True, stdout=subprocess.PIPE)
    found = json.loads(result.stdout)
    mistakes = [f"{name} is answered in {share:.2f}" for name, share in found["accuracy"].items() if share < 0.9]
    if header(made / "model.safetensors") != header(shipped / "model.safetensors"):
        mistakes.append("the tensors have other names or shapes")
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        if (made / name).read_text() != (shipped / name).read_text():
            mistakes.append(f"{name} differs")
    equal = (made / "model.safetensors").read_bytes() == (shipped / "model.safetensors").read_bytes()
    print("the weights are", "equal to" if equal else "others than", "the shipped ones:", found["accuracy"])
    if mistakes:
        sys.exit("the trained model is not the shipped one: " + "; ".join(mistakes))


if __name__ == "__main__":
    main()
