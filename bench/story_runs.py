#!/usr/bin/python3
"""Trains language models of stories of several sizes, and gathers what they answered at which step.

Writes assets/story_runs.json, which the page Train shows next to the run before one's eyes. A run takes
some minutes on two cores; its files stay in the folder, and a run whose files are there is not repeated:

    bench/story_runs.py build/release/headscope /tmp/story_runs > assets/story_runs.json
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

# layers, heads, with networks, seeds
SIZES = [(1, 6, True, (1, 2, 3)), (2, 6, True, (1, 2, 3)), (3, 6, True, (1, 2, 3)),
         (2, 1, True, (1, 2, 3)), (2, 2, True, (1, 2, 3)), (2, 6, False, (1, 2, 3))]
D_MODEL = 192


def train(program, folder, layers, heads, networks, seed):
    name = folder / f"layers{layers}_heads{heads}{'' if networks else '_no_networks'}_seed{seed}"
    log, printed = name.with_suffix(".csv"), name.with_suffix(".json")
    if not printed.exists():
        command = [program, "train", "--task", "stories", "--layers", str(layers), "--d-model", str(D_MODEL),
                   "--heads", str(heads), "--seed", str(seed), "--log", str(log), "--json"]
        result = subprocess.run(command + ([] if networks else ["--no-networks"]), check=True, text=True,
                                stdout=subprocess.PIPE)
        printed.write_text(result.stdout)
    return log, json.loads(printed.read_text())


def gathered(log, found, layers, heads, networks, seed):
    with open(log) as file:
        rows = [row for row in csv.DictReader(file) if row["held_out_loss"]]
    questions = []
    for relation in found["relations"]:
        missed = relation["most_missed"]  # null: no single head is missed
        questions.append({
            "name": relation["name"],
            "right": [round(float(row["accuracy_" + relation["name"]]), 3) for row in rows],
            "looks": [relation["layer"], relation["head"]],
            "look": round(relation["mass"], 3),
            "right_without_it": round(relation["accuracy_without"], 3),
            "most_missed": missed and [missed["layer"], missed["head"]],
            "right_without_most_missed": missed and round(missed["accuracy_without"], 3)})
    return {"layers": layers, "d_model": D_MODEL, "heads": heads, "networks": networks, "seed": seed,
            "parameters": found["parameters"], "held_out_loss": round(found["loss"][-1][1], 3),
            "steps": [int(row["step"]) for row in rows], "questions": questions}


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for layers, heads, networks, seeds in SIZES:
        for seed in seeds:
            log, found = train(program, folder, layers, heads, networks, seed)
            runs.append(gathered(log, found, layers, heads, networks, seed))
    print("[\n" + ",\n".join(" " + json.dumps(run) for run in runs) + "\n]")


if __name__ == "__main__":
    main()
