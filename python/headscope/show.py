"""Attention weights of any program, opened in headscope's window."""
import atexit
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

from . import safetensors
from .process import Error, find_program

_MOST_BYTES = 64 << 20  # of the weights of a page
_FURTHEST_SUM = 1e-3  # of a row from 1, as the program takes it


def save_attentions(path, attentions, tokens=None, *, queries=None, keys=None, name=None):
    """Writes attention weights as a file that headscope opens: `headscope F.safetensors`.

    `attentions`: (layers, heads, T, T), or a list of one (heads, T, T) for each layer, with or without
    a batch of one text in front, as transformers' `output_attentions=True` gives them; PyTorch's
    tensors too. One (heads, T, T) is a single layer. Rows are queries, and add up to 1. `tokens`: T
    names. Cross-attention is (layers, heads, T, M), with names of its own for T `queries` and M
    `keys`. `name`: of the model. Raises ValueError where the shapes do not fit, and for a row that
    is no distribution."""
    weights = _weights(attentions)
    rows, columns = _both_names(weights, tokens, queries, keys)
    metadata = {}
    if queries is not None or keys is not None or weights.shape[2] != weights.shape[3]:
        metadata = {"queries": json.dumps(rows), "keys": json.dumps(columns)}
    elif tokens is not None:
        metadata["tokens"] = json.dumps(rows)
    if name is not None:
        metadata["model"] = name
    safetensors.write(path, {"attentions": weights}, metadata)


def save_page(path, attentions, tokens=None, *, queries=None, keys=None, name=None):
    """Writes attention weights, as save_attentions takes them, as one HTML page that shows every head
    and needs no program and no network. Raises ValueError as save_attentions does and where the page
    would exceed 64 MiB, and OSError where it cannot be written."""
    weights = _weights(attentions)
    layers, heads, count, _ = weights.shape
    rows, columns = _both_names(weights, tokens, queries, keys)
    if weights.nbytes > _MOST_BYTES:
        raise ValueError(
            f"{layers} layers of {heads} heads over {count} tokens are {weights.nbytes >> 20} MiB, and a "
            f"page holds {_MOST_BYTES >> 20}: give fewer layers, or open them in the window"
        )
    data = {"layers": layers, "heads": heads, "tokens": rows, "keys": columns,
            "cross": queries is not None or keys is not None or len(rows) != len(columns),
            "name": name or "Attention",
            "weights": base64.b64encode(weights.astype("<f4").tobytes()).decode()}
    text = json.dumps(data).replace("<", "\\u003c")  # no token ends the script
    page = pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    pathlib.Path(path).write_text(page.replace("/*DATA*/null", text), encoding="utf-8")


def show(attentions, tokens=None, *, queries=None, keys=None, name=None, html=None, program=None):
    """Opens attention weights in headscope's window, as save_attentions takes them, and returns the
    window's process (subprocess.Popen) without waiting for it. With `html`, the path of a file,
    writes a page instead (save_page) and returns the path.

        out = model(**inputs, output_attentions=True)
        headscope.show(out.attentions, tokenizer.convert_ids_to_tokens(inputs.input_ids[0]))

    Python waits at its end until the window is closed: the file that the window reads lies in a
    temporary folder, which goes only then. Raises headscope.Error where there is no program."""
    if html is not None:
        save_page(html, attentions, tokens, queries=queries, keys=keys, name=name)
        return html
    folder = tempfile.mkdtemp(prefix="headscope-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    stem = re.sub(r"[^\w.-]+", "-", name or "").strip("-.") or "attentions"
    path = os.path.join(folder, f"{stem}.safetensors")
    save_attentions(path, attentions, tokens, queries=queries, keys=keys, name=name)
    command = [program or find_program(), path]
    try:
        window = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Error(f"{command[0]} does not start: {error}") from error
    atexit.register(window.wait)  # runs before the folder goes: the last registered is the first
    return window


def _both_names(weights, tokens, queries, keys):
    """The names of queries and keys; their numbers from 1 where none are given."""
    count, others = weights.shape[2:]
    cross = queries is not None or keys is not None
    if tokens is not None and (cross or count != others):
        raise ValueError(f"tokens name queries and keys that are the same; give queries, {count} names, "
                         f"and keys, {others} names")
    if not cross:
        queries = keys = tokens
    return _names(queries, count, "queries"), _names(keys, others, "keys")


def _names(tokens, count, what):
    if tokens is None:
        return [str(i + 1) for i in range(count)]
    names = [str(token) for token in tokens]
    if len(names) != count:
        raise ValueError(f"there are {len(names)} names for {count} {what}")
    return names


def _weights(attentions):
    """Returns (layers, heads, T, M) as float32."""
    if isinstance(attentions, (list, tuple)):
        weights = np.stack([_of_layer(layer) for layer in attentions])
    else:
        weights = _array(attentions)
        if weights.ndim == 3:
            weights = weights[np.newaxis]
    if weights.ndim == 5 and weights.shape[1] == 1:
        weights = weights[:, 0]
    if weights.ndim != 4:
        raise ValueError(
            f"attentions have the shape {weights.shape}; needed are (layers, heads, T, T), or one "
            "(heads, T, T) for each layer, of one text"
        )
    weights = np.ascontiguousarray(weights, dtype=np.float32)
    _require_distributions(weights)
    return weights


def _require_distributions(weights):
    """Raises ValueError that names the first row with a weight below 0, or that does not add up to 1."""
    sums = weights.sum(-1, dtype=np.float64)
    below = (weights < 0).any(-1)
    wrong = below | ~(np.abs(sums - 1) <= _FURTHEST_SUM)  # of nan, too
    if not wrong.any():
        return
    layer, head, row = at = tuple(np.argwhere(wrong)[0])
    if below[at]:
        why = f"holds {weights[at].min():.4g}, below 0"
    elif np.isnan(sums[at]):
        why = "holds a number that is none (nan)"
    else:
        why = f"adds up to {sums[at]:.4g}, not to 1"
    raise ValueError(f"layer {layer}, head {head}, row {row} {why}: give the weights after the softmax, "
                     "without dropout; all three count from 0")


def _of_layer(layer):
    weights = _array(layer)
    return weights[0] if weights.ndim == 4 and weights.shape[0] == 1 else weights


def _array(values):
    """An array of NumPy; PyTorch's tensors are copied from wherever they are."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().float()
    return np.asarray(values)
