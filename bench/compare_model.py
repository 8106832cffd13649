#!/usr/bin/python3
"""Times a whole model's pass next to PyTorch's and ONNX Runtime's on the CPU, and holds the goals.

A GPT-2 folder (bench/random_model.py writes one) on both sides: forward alone, every layer's
attention weights kept as transformers' `output_attentions` keeps them, and the logits of every
token. PyTorch does the operations of transformers' GPT-2 (eager attention), with its own fused GELU.
ONNX Runtime gets the same operations as a graph, with its own optimisations; it is left out where it
is not installed. All keep their processes and are asked in turns for their best of several passes,
round after round; of PyTorch's threads and OpenBLAS's the best combination counts. The logits are
compared with PyTorch's in float64. Exits 1 where a goal is missed or they differ.

Needs python3-torch and libopenblas0 (Debian), or another PyTorch named by --python, for ONNX Runtime
python3-onnxruntime and python3-onnx (from Debian 13 on); 6 GB; and
cmake --preset release -DHEADSCOPE_BENCH=ON && cmake --build build/release --target headscope_peer
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from compare_torch import Worker, options_parser, read_safetensors, torch_workers

GOAL = 1.3  # the others' time over ours
SHARE = 0.8  # of our time what the fastest library's products take alone
# Relative to the largest logit. Random weights let what float32 rounds off grow from layer to layer:
# PyTorch's own is 2.6e-5 away from float64 after 12 layers of 128 tokens.
DIFFERENCE = 3e-4


def best(run, tokens, seconds):
    """Of several passes over so many tokens, in ms."""
    fastest, runs, start = float("inf"), 0, time.perf_counter()
    while runs < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        run(tokens)
        fastest = min(fastest, time.perf_counter() - before)
        runs += 1
    return 1e3 * fastest


def torch_worker(folder, threads):
    """Answers the lines `pass TOKENS SECONDS` and `write FILE ID ID ...`."""
    import numpy
    import torch
    from torch.nn import functional

    torch.set_num_threads(threads)
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    heads, width = config["n_head"], config["n_embd"]
    epsilon = config["layer_norm_epsilon"]
    tensors = {name.removeprefix("transformer."): torch.from_numpy(value)
               for name, value in read_safetensors(os.path.join(folder, "model.safetensors")).items()}
    def norm(x, name):
        return functional.layer_norm(x, (width,), tensors[name + ".weight"], tensors[name + ".bias"],
                                     epsilon)

    def dense(x, name):
        return torch.addmm(tensors[name + ".bias"], x, tensors[name + ".weight"])

    def in_heads(x):
        return x.view(x.shape[0], heads, width // heads).transpose(0, 1)

    def forward(ids):
        tokens = len(ids)
        embedding = tensors["wte.weight"]
        hidden = embedding[ids] + tensors["wpe.weight"][:tokens]
        allowed = torch.ones(tokens, tokens, dtype=torch.bool).tril()
        least = torch.tensor(torch.finfo(torch.float32).min, dtype=embedding.dtype)
        attentions, states = [], [hidden]
        for layer in range(config["n_layer"]):
            at = f"h.{layer}."
            q, k, v = map(in_heads, dense(norm(hidden, at + "ln_1"), at + "attn.c_attn").split(width, 1))
            scores = torch.matmul(q, k.transpose(-1, -2)) / (width // heads) ** 0.5
            attentions.append(torch.where(allowed, scores, least).softmax(-1))
            mixed = torch.matmul(attentions[-1], v).transpose(0, 1).reshape(tokens, width)
            hidden = hidden + dense(mixed, at + "attn.c_proj")
            inner = functional.gelu(dense(norm(hidden, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
            hidden = hidden + dense(inner, at + "mlp.c_proj")
            states.append(hidden)
        return torch.nn.functional.linear(norm(hidden, "ln_f"), embedding), attentions, states

    def run(tokens):
        forward((torch.arange(tokens) * 7919) % config["vocab_size"])

    with torch.no_grad():
        for line in sys.stdin:
            task, *arguments = line.split()
            if task == "pass":
                print(best(run, int(arguments[0]), float(arguments[1])), flush=True)
            else:
                ids = torch.tensor([int(word) for word in arguments[1:]])
                tensors = {name: tensor.double() for name, tensor in tensors.items()}
                numpy.save(arguments[0], forward(ids)[0].numpy())
                print("written", flush=True)


def onnx_graph(folder):
    """A GPT-2 folder as an ONNX model: ids, their places and the causal mask to the logits, the
    attentions and the hidden states."""
    import numpy
    from onnx import TensorProto, helper, numpy_helper

    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    heads, width = config["n_head"], config["n_embd"]
    constants = {
        "scale": numpy.float32((width // heads) ** -0.5),
        "least": numpy.finfo(numpy.float32).min,
        "in_heads": numpy.array([-1, heads, width // heads]),
        "in_rows": numpy.array([-1, width]),
    }
    for name, value in read_safetensors(os.path.join(folder, "model.safetensors")).items():
        constants[name.removeprefix("transformer.")] = value
    nodes = []

    def add(operation, inputs, outputs=None, **attributes):
        outputs = outputs or [f"value{len(nodes)}"]
        nodes.append(helper.make_node(operation, inputs, outputs, **attributes))
        return outputs[0]

    def with_weights(operation, x, name, **attributes):
        return add(operation, [x, name + ".weight", name + ".bias"], **attributes)

    def norm(x, name):
        return with_weights("LayerNormalization", x, name, epsilon=config["layer_norm_epsilon"])

    def turned(x, order):
        return add("Transpose", [add("Reshape", [x, "in_heads"])], perm=order)

    hidden = add("Add", [add("Gather", ["wte.weight", "ids"]), add("Gather", ["wpe.weight", "places"])])
    kept = [hidden]
    for layer in range(config["n_layer"]):
        at = f"h.{layer}."
        parts = [f"{at}{part}" for part in "qkv"]
        joined = with_weights("Gemm", norm(hidden, at + "ln_1"), at + "attn.c_attn")
        add("Split", [joined], parts, axis=1, num_outputs=3)
        q, k, v = (turned(x, order) for x, order in zip(parts, ([1, 0, 2], [1, 2, 0], [1, 0, 2])))
        scores = add("Where", ["mask", add("Mul", [add("MatMul", [q, k]), "scale"]), "least"])
        weights = add("Softmax", [scores], axis=-1)
        mixed = add("Transpose", [add("MatMul", [weights, v])], perm=[1, 0, 2])
        mixed = add("Reshape", [mixed, "in_rows"])
        hidden = add("Add", [hidden, with_weights("Gemm", mixed, at + "attn.c_proj")])
        inner = with_weights("Gemm", norm(hidden, at + "ln_2"), at + "mlp.c_fc")
        inner = add("Gelu", [inner], approximate="tanh")
        hidden = add("Add", [hidden, with_weights("Gemm", inner, at + "mlp.c_proj")])
        kept += [weights, hidden]
    logits = add("Gemm", [norm(hidden, "ln_f"), "wte.weight"], transB=1)

    graph = helper.make_graph(
        nodes, "gpt2",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"]),
         helper.make_tensor_value_info("places", TensorProto.INT64, ["tokens"]),
         helper.make_tensor_value_info("mask", TensorProto.BOOL, ["tokens", "tokens"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in [logits, *kept]],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in constants.items()])
    opset = 20  # the first with Gelu
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return model.SerializeToString(), config["vocab_size"]


def onnx_worker(folder, threads):
    """Answers the line `pass TOKENS SECONDS`."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model, vocabulary = onnx_graph(folder)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(tokens):
        session.run(None, {
            "ids": (numpy.arange(tokens) * 7919) % vocabulary,
            "places": numpy.arange(tokens),
            "mask": numpy.tri(tokens, dtype=bool),
        })

    for line in sys.stdin:
        _, tokens, seconds = line.split()
        print(best(run, int(tokens), float(seconds)), flush=True)


def onnx_workers(options, folder):
    """One for each number of threads; none where it is not installed."""
    installed = subprocess.run([options.python, "-c", "import onnx, onnxruntime"], capture_output=True)
    if installed.returncode != 0:
        return {}
    return {
        threads: Worker([options.python, os.path.abspath(__file__), "--onnx-worker", folder, str(threads)])
        for threads in sorted({1, options.threads})
    }


def difference(engine, worker):
    """Of the logits of the engine's last pass, relative to the largest."""
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.path.join(folder, "a.npy"), os.path.join(folder, "b.npy")
        engine.ask(f"write {ours}")
        worker.ask(f"write {theirs} " + engine.ask("ids"))
        a, b = numpy.load(ours), numpy.load(theirs)
        return abs(a.reshape(b.shape) - b).max() / abs(b).max()


def compare(tokens, folder, options):
    engine = Worker([options.peer, "--model", folder])
    settings, torches = torch_workers(options, lambda own: ["--worker", folder, str(own)], __file__)
    runtimes = onnx_workers(options, folder)
    times = {}

    def keep(name, answer):
        times[name] = min(times.get(name, float("inf")), float(answer))

    for _ in range(options.rounds):
        for setting, worker in torches.items():
            keep(setting, worker.ask(f"pass {tokens} {options.seconds}"))
            time.sleep(0.01)  # threads that spin between its loops go to sleep
        for threads, worker in runtimes.items():
            keep(("onnx", threads), worker.ask(f"pass {tokens} {options.seconds}"))
        for threads in sorted({1, options.threads}):
            keep(threads, engine.ask(f"pass {tokens} {threads} {options.seconds}"))
            keep(("gemm", threads), engine.ask(f"gemm {tokens} {threads} {options.seconds}"))
    differ = difference(engine, torches[settings[0]])
    for worker in [engine, *torches.values(), *runtimes.values()]:
        worker.close()
    return times, settings, differ


def main():
    if sys.argv[1:2] == ["--worker"]:
        torch_worker(sys.argv[2], int(sys.argv[3]))
        return
    if sys.argv[1:2] == ["--onnx-worker"]:
        onnx_worker(sys.argv[2], int(sys.argv[3]))
        return
    parser = options_parser(__doc__, 1.0)
    parser.set_defaults(rounds=3)
    parser.add_argument("folder", help="a GPT-2 model's")
    parser.add_argument("--tokens", default="128,1024")
    options = parser.parse_args()

    print("| T | threads | PyTorch's best, ms (its threads, OpenBLAS's) | ours | ratio "
          "| ONNX Runtime | ratio | products alone | share of the pass |")
    print("|---|---|---|---|---|---|---|---|---|")
    missed = []
    for tokens in map(int, options.tokens.split(",")):
        times, settings, differ = compare(tokens, options.folder, options)
        for threads in sorted({1, options.threads}):
            best = min((s for s in settings if max(s) <= threads), key=lambda setting: times[setting])
            ours, products = times[threads], times[("gemm", threads)]
            ratio, share = times[best] / ours, products / ours
            onnx = times.get(("onnx", threads))
            beside = "– | –" if onnx is None else f"{onnx:.0f} | **{onnx / ours:.2f}**"
            print(f"| {tokens} | {threads} | {times[best]:.0f} ({best[0]}, {best[1]}) | {ours:.0f} "
                  f"| **{ratio:.2f}** | {beside} | {products:.0f} | {100 * share:.0f} % |", flush=True)
            if ratio < GOAL:
                missed.append(f"T {tokens}, {threads} threads: {ratio:.2f} of PyTorch's")
            if onnx is not None and onnx / ours < GOAL:
                missed.append(f"T {tokens}, {threads} threads: {onnx / ours:.2f} of ONNX Runtime's")
            if share < SHARE:
                missed.append(f"T {tokens}, {threads} threads: products are {100 * share:.0f} %")
        if not differ <= DIFFERENCE:
            missed.append(f"T {tokens}: the logits differ by {differ:.1e} of the largest")
    if missed:
        sys.exit("Missed:\n  " + "\n  ".join(missed))


if __name__ == "__main__":
    main()
