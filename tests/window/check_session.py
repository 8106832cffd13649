"""Checks a session file: what it holds is as expected.

Usage: check_session.py SESSION [pins=N] [weight=VALUE, a number somewhere in W_Q] [step=ID]
       [past=ID, any step after it]
"""

import array
import json
import os
import struct
import sys

path, expected = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[2:])
with open(path, encoding="utf-8") as file:
    session = json.load(file)
document = session["document"]


def tensor(name):
    """The numbers of a tensor in the session's safetensors file."""
    with open(os.path.join(os.path.dirname(path), session["tensors"]), "rb") as data:
        (header_bytes,) = struct.unpack("<Q", data.read(8))
        header = json.loads(data.read(header_bytes))
        begin, end = header[name]["data_offsets"]
        data.seek(8 + header_bytes + begin)
        return array.array("f", data.read(end - begin))


if "pins" in expected and len(document["pins"]) != int(expected["pins"]):
    sys.exit(f"there are {len(document['pins'])} pins: {document['pins']}")
if "step" in expected and session["view"]["step"] != expected["step"]:
    sys.exit(f"the step is {session['view']['step']}")
STEPS = ["project", "split", "score", "scale", "mask", "softmax", "weigh", "concat", "output"]
if "past" in expected and STEPS.index(session["view"]["step"]) <= STEPS.index(expected["past"]):
    sys.exit(f"the step is still {session['view']['step']}")
if "weight" in expected and float(expected["weight"]) not in tensor(document["weights"]["W_Q"]):
    sys.exit(f"{expected['weight']} is nowhere in W_Q")
