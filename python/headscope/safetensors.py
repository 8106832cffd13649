"""Reads and writes safetensors files: a header of JSON, then the numbers."""
import json

import numpy as np

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1"}


def read(path):
    """Returns the file's tensors by name, as arrays that belong to the caller.

    Raises ValueError for a file that is cut short or has numbers of a type that NumPy lacks.
    """
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        numbers = np.frombuffer(bytearray(file.read()), np.uint8)
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] not in _TYPES:
            raise ValueError(f"{path}: {name} has numbers of the type {entry['dtype']}")
        begin, end = entry["data_offsets"]
        tensors[name] = numbers[begin:end].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def write(path, tensors, metadata=None):
    """Writes arrays of float32 by name, and texts by name as the file's metadata."""
    header, numbers = {}, []
    if metadata:
        header["__metadata__"] = metadata
    end = 0
    for name, array in tensors.items():
        data = np.asarray(array, "<f4").tobytes()
        begin, end = end, end + len(data)
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [begin, end]}
        numbers.append(data)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head + b"".join(numbers))
