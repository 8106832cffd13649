#!/usr/bin/python3
"""Trains a model that ships with the program again, by the command of assets/models/README.md.

    train_again.py PROGRAM SOURCE_DIR WORK_DIR stories|shapes

The last bits of products depend on the processor, and training makes such differences larger, so the numbers of
the new model need not be those of the shipped one. It must have the same tensors and settings, and answer what the
shipped one answers; the heads of shapes must look at the shape. Prints whether the files are equal.
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
    program, source, work, task = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    shipped, made = source / "assets/models" / task, work / task
    readme = (source / "assets/models/README.md").read_text()
    flags = re.search(rf"headscope (train --task {task} .*) --save-model", readme).group(1).split()
    result = subprocess.run([program, *flags, "--save-model", made, "--json"], check=True, stdout=subprocess.PIPE)
    found = json.loads(result.stdout)
    mistakes = [f"{name} is answered in {share:.2f}" for name, share in found["accuracy"].items() if share < 0.9]
    if task == "shapes":
        looks = max(head["on_shape"] for head in found["looks"])
        if looks < 3 * found["touched_tokens"]:
            mistakes.append(f"no head puts more than {looks:.2f} on the shape")
        if found["accuracy"]["shape"] < 0.97:
            mistakes.append(f"{found['accuracy']['shape']:.3f} of the shapes are named right")
    if header(made / "model.safetensors") != header(shipped / "model.safetensors"):
        mistakes.append("the tensors have other names or shapes")
    for name in sorted(path.name for path in shipped.glob("*.json")):
        if (made / name).read_text() != (shipped / name).read_text():
            mistakes.append(f"{name} differs")
    equal = (made / "model.safetensors").read_bytes() == (shipped / "model.safetensors").read_bytes()
    print("the weights are", "equal to" if equal else "others than", "the shipped ones:", found["accuracy"])
    if mistakes:
        sys.exit("the trained model is not the shipped one: " + "; ".join(mistakes))


if __name__ == "__main__":
    main()
