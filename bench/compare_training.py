#!/usr/bin/python3
"""Times one training step next to PyTorch's on the CPU, and holds the goals.

The same model on both sides (embeddings and learned positions, attention layers with a residual and
without biases, one readout for each question; for lm_…, a GPT-2), batches of the same shape,
cross-entropy or squared error, gradients clipped to norm 1, AdamW. The engine draws each batch within its step; PyTorch's is
drawn before. Both keep their processes and are asked in turns for their best of many steps, round
after round; of PyTorch's threads and OpenBLAS's the best combination counts. Exits 1 where a goal is
missed.

Needs python3-torch and libopenblas0 (Debian), or another PyTorch named by --python; and
cmake --preset release -DHEADSCOPE_BENCH=ON && cmake --build build/release --target headscope_peer
"""

import json
import sys
import time

from compare_torch import Worker, options_parser, torch_workers

TASKS = ["cards", "recall", "induction", "grammar", "sensor", "pointer", "brackets"]
GOALS = {"64_4_32_64": 3.0, "128_8_64_32": 3.0, "512_8_30_2": 2.0,
         "lm_2_128_8_32_64": 1.5, "lm_3_192_6_64_96": 1.5}  # a task: 3


def language_step(torch, shapes):
    """A training step of a GPT-2: layers of LayerNorm, attention, LayerNorm and network."""
    from torch.nn import functional

    width, heads, length = shapes["d_model"], shapes["heads"], shapes["length"]
    batch, vocabulary = shapes["batch"], shapes["vocabulary"]
    linear, norm = torch.nn.Linear, torch.nn.LayerNorm
    embedding = torch.nn.Embedding(vocabulary, width)
    positions = torch.nn.Embedding(length, width)
    layers = [(norm(width), linear(width, 3 * width), linear(width, width), norm(width),
               linear(width, 4 * width), linear(4 * width, width)) for _ in range(shapes["layers"])]
    last = norm(width)
    modules = torch.nn.ModuleList([embedding, positions, last, *[m for each in layers for m in each]])
    for parameter in modules.parameters():
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, 0.0, 0.02)
    optimiser = torch.optim.AdamW(modules.parameters(), lr=shapes["rate"], betas=(0.9, 0.98),
                                  weight_decay=0.01)
    tokens = torch.randint(0, vocabulary, (batch, length + 1))
    mask = torch.triu(torch.full((length, length), float("-inf")), 1)
    fused = getattr(functional, "scaled_dot_product_attention", None)

    def step():
        optimiser.zero_grad(set_to_none=True)
        h = embedding(tokens[:, :-1]) + positions.weight
        for norm1, qkv, out, norm2, up, down in layers:
            q, k, v = (qkv(norm1(h)).view(batch, length, 3, heads, width // heads)
                       .permute(2, 0, 3, 1, 4))
            if fused:
                mixed = fused(q, k, v, is_causal=True)
            else:
                scores = q @ k.transpose(-1, -2) * (width // heads) ** -0.5 + mask
                mixed = scores.softmax(-1) @ v
            h = h + out(mixed.transpose(1, 2).reshape(batch, length, width))
            h = h + down(functional.gelu(up(norm2(h)), approximate="tanh"))
        logits = last(h) @ embedding.weight.T
        functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
        torch.nn.utils.clip_grad_norm_(modules.parameters(), 1.0)
        optimiser.step()

    return step


def task_step(torch, shapes):
    """A training step of a model of attention alone."""
    from torch.nn import functional

    width, heads, length = shapes["d_model"], shapes["heads"], shapes["length"]
    batch, classes = shapes["batch"], shapes["classes"]
    d_k = width // heads

    def drawn(*shape):
        return torch.nn.Parameter(torch.randn(*shape) / width**0.5)

    tables = [drawn(count, width) for count in shapes["features"]]
    series = drawn(shapes["channels"], width) if shapes["channels"] else None
    positions = drawn(length, width)
    layers = [(drawn(width, 3 * width), drawn(width, width)) for _ in range(shapes["layers"])]
    readout, bias = drawn(width, sum(classes)), torch.nn.Parameter(torch.zeros(sum(classes)))
    parameters = [*tables, *([series] if series is not None else []), positions,
                  *[w for layer in layers for w in layer], readout, bias]
    optimiser = torch.optim.AdamW(parameters, lr=shapes["rate"], betas=(0.9, 0.98), weight_decay=0.0)
    mask = torch.triu(torch.full((length, length), float("-inf")), 1) if shapes["causal"] else None

    symbols = [torch.randint(0, count, (batch, length)) for count in shapes["features"]]
    readings = torch.randn(batch, length, shapes["channels"])
    answers = [torch.randint(0, count, (batch, length)) if count > 1 else torch.randn(batch, length)
               for count in classes]

    def step():
        optimiser.zero_grad(set_to_none=True)
        h = readings @ series if series is not None else sum(t[s] for t, s in zip(tables, symbols))
        h = h + positions
        for w_qkv, w_o in layers:
            q, k, v = (h @ w_qkv).view(batch, length, 3, heads, d_k).permute(2, 0, 3, 1, 4)
            scores = q @ k.transpose(-1, -2) * d_k**-0.5
            if mask is not None:
                scores = scores + mask
            mixed = scores.softmax(-1) @ v
            h = h + mixed.transpose(1, 2).reshape(batch, length, width) @ w_o
        logits = h @ readout + bias
        loss, first = 0.0, 0
        for count, answer in zip(classes, answers):
            part = logits[..., first:first + count]
            first += count
            loss = loss + (functional.cross_entropy(part.reshape(-1, count), answer.reshape(-1))
                           if count > 1 else ((part[..., 0] - answer) ** 2).mean())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()

    return step


def torch_worker(shapes, threads):
    """Answers the lines `step SECONDS`."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    step = (language_step if "vocabulary" in shapes else task_step)(torch, shapes)
    for line in sys.stdin:
        seconds = float(line.split()[1])
        fastest, runs, start = float("inf"), 0, time.perf_counter()
        while runs < 3 or time.perf_counter() - start < seconds:
            before = time.perf_counter()
            step()
            fastest = min(fastest, time.perf_counter() - before)
            runs += 1
        print(1e3 * fastest, flush=True)


def compare(name, options):
    engine = Worker([options.peer, "--train", name])
    shapes = engine.ask("shapes")
    settings, torches = torch_workers(options, lambda own: ["--worker", shapes, str(own)], __file__)
    times = {}
    for _ in range(options.rounds):
        for setting, worker in torches.items():
            times.setdefault(setting, []).append(float(worker.ask(f"step {options.seconds}")))
            time.sleep(0.01)  # threads that spin between its loops go to sleep
        for threads in sorted({1, options.threads}):
            answer = engine.ask(f"step {threads} {options.seconds}")
            times.setdefault(threads, []).append(float(answer))
            products = engine.ask(f"gemm {threads} {options.seconds}")
            times.setdefault(("products", threads), []).append(float(products))
    for worker in [engine, *torches.values()]:
        worker.close()
    return {who: min(list_) for who, list_ in times.items()}, settings


def main():
    if sys.argv[1:2] == ["--worker"]:
        torch_worker(json.loads(sys.argv[2]), int(sys.argv[3]))
        return
    parser = options_parser(__doc__, 0.3)
    parser.add_argument("--only", help="one task or size")
    options = parser.parse_args()

    print("| step | PyTorch's best, ms (its threads, OpenBLAS's) | ours | ratio "
          "| products alone | share | PyTorch, 1 thread | ours | ratio | products alone | share |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    missed = []
    for name in [options.only] if options.only else [*TASKS, *GOALS]:
        times, settings = compare(name, options)
        best = min(settings, key=lambda setting: times[setting])
        ratio = times[best] / times[options.threads]
        shares = {threads: f"{times[('products', threads)]:.2f} "
                           f"| {100 * times[('products', threads)] / times[threads]:.0f} %"
                  for threads in (1, options.threads)}
        print(f"| {name} | {times[best]:.2f} ({best[0]}, {best[1]}) | {times[options.threads]:.2f} "
              f"| **{ratio:.1f}** | {shares[options.threads]} "
              f"| {times[(1, 1)]:.2f} | {times[1]:.2f} "
              f"| {times[(1, 1)] / times[1]:.1f} | {shares[1]} |", flush=True)
        if ratio < GOALS.get(name, 3.0):
            missed.append(f"{name}: {ratio:.2f}")
    if missed:
        sys.exit("Missed:\n  " + "\n  ".join(missed))


if __name__ == "__main__":
    main()
