#!/usr/bin/python3
"""Times the engine next to PyTorch's nn.MultiheadAttention on the CPU, and holds the goals.

Both get the same inputs and weights, keep their processes, and are asked in turns for their best of
many passes, round after round; PyTorch (eval, no grad, need_weights, weights per head) in every
combination of its own and OpenBLAS's threads, of which its best counts. The outputs are compared.
Exits 1 where a goal is missed or the outputs differ.

Needs python3-torch and libopenblas0 (Debian), or another PyTorch named by --python; and
cmake --preset release -DHEADSCOPE_BENCH=ON && cmake --build build/release --target headscope_peer
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SHAPES = [  # D, H, T, B
    (256, 8, 30, 1),
    (512, 8, 30, 1),
    (768, 12, 128, 1),
    (512, 8, 30, 2),
    (768, 12, 1024, 1),
    (1024, 16, 512, 1),
]


def torch_worker(path, heads, threads):
    """Answers the lines `pass SECONDS`, `gemm SECONDS` and `write FILE`."""
    import numpy
    import torch

    torch.set_num_threads(threads)
    tensors = read_safetensors(path)
    x = torch.from_numpy(tensors.pop("x"))
    width = x.shape[-1]
    layer = torch.nn.MultiheadAttention(width, heads, batch_first=True).eval()
    layer.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})

    def forward():
        return layer(x, x, x, need_weights=True, average_attn_weights=False)[0]

    def best(seconds, run):
        fastest = float("inf")
        runs = 0
        start = time.perf_counter()
        while runs < 3 or time.perf_counter() - start < seconds:
            before = time.perf_counter()
            run()
            fastest = min(fastest, time.perf_counter() - before)
            runs += 1
        return 1e3 * fastest

    def gemm(seconds):
        batch, tokens, _ = x.shape
        d_k = width // heads
        products = [
            ((batch * tokens, width), (width, width), 4),
            ((tokens, d_k), (d_k, tokens), batch * heads),
            ((tokens, tokens), (tokens, d_k), batch * heads),
        ]
        total = 0.0
        for left, right, count in products:
            a, b = torch.rand(left), torch.rand(right)
            c = torch.empty(left[0], right[1])
            total += count * best(seconds / 3, lambda: torch.mm(a, b, out=c))
        return total

    with torch.no_grad():
        for line in sys.stdin:
            task, argument = line.split()
            if task == "pass":
                print(best(float(argument), forward), flush=True)
            elif task == "gemm":
                print(gemm(float(argument)), flush=True)
            else:
                numpy.save(argument, forward().numpy())
                print("written", flush=True)


def read_safetensors(path):
    import numpy

    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {
        name: numpy.frombuffer(data[slice(*entry["data_offsets"])], dtype="<f4").reshape(entry["shape"]).copy()
        for name, entry in header.items()
        if name != "__metadata__"
    }


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, value in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [offset, offset + value.nbytes],
        }
        offset += value.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            file.write(value.astype("<f4").tobytes())


class Worker:
    """A process that is asked one line and answers one."""

    def __init__(self, command, **environment):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.process.args} gave no answer to '{line}'")
        return answer.strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def torch_workers(options, arguments, script):
    """The combinations of PyTorch's threads and OpenBLAS's, and a worker for each."""
    counts = (1, options.threads)
    settings = sorted({(own, blas) for own in counts for blas in counts})
    return settings, {
        (own, blas): Worker(
            [options.python, os.path.abspath(script), *arguments(own)],
            OPENBLAS_NUM_THREADS=str(blas),
            MKL_NUM_THREADS=str(own),
            OMP_NUM_THREADS=str(own),
        )
        for own, blas in settings
    }


def options_parser(about, seconds):
    """What both comparisons can be told."""
    parser = argparse.ArgumentParser(description=about.split("\n\n")[0])
    parser.add_argument("--peer", default=os.path.join(ROOT, "build/release/headscope_peer"))
    parser.add_argument("--python", default="/usr/bin/python3", help="the one that has PyTorch")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=seconds, help="of each turn")
    return parser


def compare(shape, options, folder):
    import numpy

    width, heads, tokens, batch = shape
    draw = numpy.random.default_rng(1)
    bound = (6 / (4 * width)) ** 0.5
    tensors = {
        "x": draw.standard_normal((batch, tokens, width)),
        "in_proj_weight": draw.uniform(-bound, bound, (3 * width, width)),
        "in_proj_bias": draw.uniform(-0.1, 0.1, 3 * width),
        "out_proj.weight": draw.uniform(-(width**-0.5), width**-0.5, (width, width)),
        "out_proj.bias": draw.uniform(-0.1, 0.1, width),
    }
    layer = os.path.join(folder, "layer.safetensors")
    write_safetensors(layer, {name: value.astype("<f4") for name, value in tensors.items()})

    engine = Worker([options.peer, layer, str(heads)])
    settings, torches = torch_workers(
        options, lambda own: ["--worker", layer, str(heads), str(own)], __file__)
    times = {}

    def keep(name, answer):
        times[name] = min(times.get(name, float("inf")), float(answer))

    for _ in range(options.rounds):
        for setting, worker in torches.items():
            keep(setting, worker.ask(f"pass {options.seconds}"))
            time.sleep(0.01)  # threads that spin between its loops go to sleep
        for threads in {1, options.threads}:
            keep(threads, engine.ask(f"pass {threads} {options.seconds}"))
            keep(("gemm", threads), engine.ask(f"gemm {threads} {options.seconds}"))
    blas = torches[(1, 1)]
    keep(("gemm", 1), blas.ask(f"gemm {options.seconds}"))
    outputs = []
    for name, worker in (("a", engine), ("b", torches[settings[0]])):
        path = os.path.join(folder, name + ".npy")
        worker.ask(f"write {path}")
        outputs.append(numpy.load(path))
    for worker in [engine, *torches.values()]:
        worker.close()
    difference = abs(outputs[0] - outputs[1]).max() / abs(outputs[1]).max()
    return times, settings, difference


def main():
    if sys.argv[1:2] == ["--worker"]:
        torch_worker(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    parser = options_parser(__doc__, 0.4)
    parser.add_argument("--goals", default="4.5,2.0,2.6,1.7",
                        help="T <= 128 with all threads and one, larger T with all and one")
    options = parser.parse_args()
    small, small_one, large, large_one = (float(goal) for goal in options.goals.split(","))

    print("| D, H, T, B | PyTorch's best, ms (its threads, OpenBLAS's) | ours | ratio | PyTorch, "
          "1 thread | ours | ratio | products alone | share of the pass |")
    print("|---|---|---|---|---|---|---|---|---|")
    missed = []
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            times, settings, difference = compare(shape, options, folder)
        best = min(settings, key=lambda setting: times[setting])
        ours, one = times[options.threads], times[1]
        ratio, ratio_one = times[best] / ours, times[(1, 1)] / one
        products = min(times[("gemm", options.threads)], times[("gemm", 1)])
        print(f"| {', '.join(map(str, shape))} | {times[best]:.3f} ({best[0]}, {best[1]}) "
              f"| {ours:.3f} | **{ratio:.2f}** | {times[(1, 1)]:.3f} | {one:.3f} "
              f"| **{ratio_one:.2f}** | {products:.3f} | {100 * products / ours:.0f} % |", flush=True)
        is_small = shape[2] <= 128
        if ratio < (small if is_small else large):
            missed.append(f"{shape}: {ratio:.2f} with {options.threads} threads")
        if ratio_one < (small_one if is_small else large_one):
            missed.append(f"{shape}: {ratio_one:.2f} with one thread")
        if not difference <= 1e-5:
            missed.append(f"{shape}: the outputs differ by {difference:.1e} of the largest value")
    if missed:
        sys.exit("Missed:\n  " + "\n  ".join(missed))


if __name__ == "__main__":
    main()
