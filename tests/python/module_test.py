#!/usr/bin/env python3
"""The Python module beside the command line: the same numbers, shapes as documented, errors in
words, one process for many texts, and a wheel that holds it all.  module_test.py PROGRAM"""
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import headscope  # noqa: E402
import wheel_backend  # noqa: E402
from headscope import process, safetensors  # noqa: E402

MODEL = ROOT / "tests/data/tiny-gpt2"
GROUPED = ROOT / "tests/data/families/llama_yarn"
PROGRAM = os.path.abspath(sys.argv.pop(1))


def printed(command, *flags, folder=MODEL):
    line = [PROGRAM, command, str(folder), *flags, "--json"]
    return json.loads(subprocess.run(line, check=True, capture_output=True).stdout)


class Show(unittest.TestCase):
    def setUp(self):
        os.environ["HEADSCOPE"] = PROGRAM

    def test_weights_come_back_from_the_program(self):
        random = np.random.default_rng(3).random((2, 3, 4, 4))
        given = random / random.sum(-1, keepdims=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.safetensors")
            batches = [layer[None] for layer in given]  # as transformers gives them
            headscope.save_attentions(path, batches, ["a", "b", "c", "d"], name="mine")
            self.assertEqual(printed("model", folder=path)["tokens"], ["a", "b", "c", "d"])
            trace = os.path.join(folder, "trace.npz")
            printed("model", "--trace", trace, folder=path)
            with np.load(trace) as arrays:
                np.testing.assert_allclose(arrays["attentions"], given, atol=1e-6)

    def test_wrong_shapes_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"\(layers, heads, T, T\)"):
            headscope.save_attentions("nowhere", np.ones((4, 5)))
        with self.assertRaisesRegex(ValueError, "2 names for 4 queries"):
            headscope.save_attentions("nowhere", np.full((1, 1, 4, 4), 0.25), ["a", "b"])
        with self.assertRaisesRegex(ValueError, "give queries, 2 names, and keys, 4 names"):
            headscope.save_attentions("nowhere", np.full((1, 1, 2, 4), 0.25), ["a", "b"])

    def test_cross_attention_has_names_for_both_texts(self):
        weights = np.full((2, 3, 2, 4), 0.25)
        names = {"queries": ["un", "chat"], "keys": ["a", "cat", ".", "</s>"]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cross.safetensors")
            headscope.save_attentions(path, list(weights), **names)
            self.assertEqual(safetensors.read(path)["attentions"].shape, (2, 3, 2, 4))
            header = pathlib.Path(path).read_bytes()[8:].split(b"}}")[0].decode()
            self.assertIn('\\"chat\\"', header)
            page = os.path.join(folder, "cross.html")
            headscope.show(weights, html=page, **names)
            data = json.loads(re.search(r"const DATA = (.*);\n", pathlib.Path(page).read_text())[1])
            self.assertEqual((data["tokens"], data["keys"]), (names["queries"], names["keys"]))
            self.assertTrue(data["cross"])

    def test_rows_that_are_no_distribution_are_refused(self):
        for number, part in ((0.7, r"adds up to 1\.2, not to 1"), (np.nan, "nan"), (-0.25, "below 0")):
            weights = np.full((2, 3, 2, 2), 0.5)
            weights[1, 2, 1, 0] = number
            with self.assertRaisesRegex(ValueError, f"layer 1, head 2, row 1 .*{part}"):
                headscope.show(weights, html="nowhere")
            with self.assertRaisesRegex(ValueError, "layer 1, head 2, row 1"):
                headscope.save_attentions("nowhere", list(weights))

    def test_an_array_of_heads_is_one_layer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layer.safetensors")
            headscope.save_attentions(path, np.full((3, 2, 2), 0.5))
            self.assertEqual(safetensors.read(path)["attentions"].shape, (1, 3, 2, 2))

    def test_a_script_waits_for_its_window(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                  "import headscope, numpy as np\n"
                  "headscope.show(np.full((1, 1, 2, 2), 0.5), program=sys.argv[2])\n")
        with tempfile.TemporaryDirectory() as folder:
            window, seen = pathlib.Path(folder, "window"), pathlib.Path(folder, "seen")
            window.write_text(f'#!/bin/sh\nsleep 1\nwc -c < "$1" > {seen}; echo "$1" >> {seen}\n')
            window.chmod(0o755)
            subprocess.run([sys.executable, "-B", "-c", script, str(ROOT / "python"), str(window)],
                           check=True)
            size, path = seen.read_text().split()
            self.assertGreater(int(size), 0)
            self.assertFalse(os.path.exists(path))

    def test_a_page_holds_the_weights(self):
        weights = np.random.default_rng(2).random((2, 3, 4, 4), dtype=np.float32)
        weights /= weights.sum(-1, keepdims=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "embed.html")
            self.assertEqual(headscope.show(weights, ["a", "</script>", "“c”", "d"], html=path), path)
            page = pathlib.Path(path).read_text(encoding="utf-8")
            self.assertEqual(page.count("</script>"), 1)
            data = json.loads(re.search(r"const DATA = (.*);\n", page)[1])
            self.assertEqual(data["tokens"], ["a", "</script>", "“c”", "d"])
            held = np.frombuffer(base64.b64decode(data["weights"]), "<f4").reshape(weights.shape)
            np.testing.assert_array_equal(held, weights)
        with self.assertRaisesRegex(ValueError, "in the window"):
            headscope.show(np.full((12, 12, 400, 400), 1 / 400), html="nowhere")

    def test_show_starts_the_program_on_a_file(self):
        weights = np.full((1, 1, 2, 2), 0.5)
        with unittest.mock.patch("subprocess.Popen") as started:
            headscope.show(weights, ["a", "b"], name="a model / of mine")
        program, path = started.call_args.args[0]
        self.assertEqual(program, PROGRAM)
        self.assertEqual(os.path.basename(path), "a-model-of-mine.safetensors")
        np.testing.assert_array_equal(safetensors.read(path)["attentions"], weights)


class OpenModel(unittest.TestCase):
    def setUp(self):
        os.environ["HEADSCOPE"] = PROGRAM
        self.model = headscope.open(MODEL)
        self.addCleanup(self.model.close)

    def test_arrays_are_those_of_the_trace(self):
        run = self.model.run("The cat sat")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.npz")
            flags = ["--text", "The cat sat", "--trace", path, "--sites", "all"]
            json_of = printed("model", *flags)
            with np.load(path) as trace:
                self.assertEqual(sorted(trace.files), sorted(run.arrays))
                for name in trace.files:
                    np.testing.assert_array_equal(run[name], trace[name])
        self.assertEqual(run.tokens, json_of["tokens"])
        self.assertEqual(run.predictions, json_of["predictions"])
        np.testing.assert_array_equal(run.ids, json_of["ids"])

    def test_a_model_of_images_takes_a_picture(self):
        data = ROOT / "tests/data"
        picture = str(data / "pictures/color.jpg")
        with headscope.open(data / "image_models/vit") as model:
            run = model.run(image=picture)
            heads = model.heads(image=picture)
            with self.assertRaisesRegex(headscope.Error, "reads images"):
                model.run(ids=[1, 2])
        self.assertEqual(run.logits.shape, (5,))
        self.assertEqual(run.attentions.shape, (2, 4, 17, 17))
        self.assertEqual(run.ids.size, 0)
        self.assertEqual(run.tokens[:2], ["class", "patch 1,1"])
        best = run.predictions[0][0]
        self.assertEqual(best["label"], f"LABEL_{np.argmax(run.logits)}")
        self.assertEqual(len(heads), 8)
        json_of = printed("model", "--image", picture, folder=data / "image_models/vit")
        self.assertEqual(heads, json_of["heads"])

    def test_several_texts_are_no_text(self):
        for ask in self.model.run, self.model.heads, self.model.sweep, self.model.why:
            with self.assertRaisesRegex(TypeError, r"not a list: .* for text in texts"):
                ask(["The cat", "sat"])

    def test_objects_say_what_they_are(self):
        self.assertEqual(repr(self.model), f"<headscope.Model {MODEL}: 2 layers>")
        run = repr(self.model.run("The cat sat"))
        self.assertIn("Pass of 4 tokens", run)
        self.assertIn("attentions (2, 4, 4, 4)", run)

    def test_shapes_are_as_documented(self):
        with headscope.open(GROUPED) as model:
            run = model.run(ids=[5, 6, 7, 8, 9])
            c, t = model.config, 5
        layers, width, heads, d_k = c["layers"], c["d_model"], c["num_heads"], c["d_k"]
        self.assertNotEqual(heads, c["num_kv_heads"])
        self.assertEqual(run.attentions.shape, (layers, heads, t, t))
        self.assertEqual(run.hidden_states.shape, (layers + 1, t, width))
        self.assertEqual(run.logits.shape, (t, c["vocab_size"]))
        for name in "q", "heads":
            self.assertEqual(run[name].shape, (layers, heads, t, d_k))
        for name in "k", "v":
            self.assertEqual(run[name].shape, (layers, c["num_kv_heads"], t, d_k))
        for name in "residual", "attention", "network":
            self.assertEqual(run[name].shape, (layers, t, width))
        np.testing.assert_allclose(run.attentions.sum(-1), 1, rtol=1e-5)
        np.testing.assert_allclose(
            run.residual[1], run.residual[0] + run.attention[0] + run.network[0], atol=1e-5)

    def test_heads_are_dropped_and_measured(self):
        run = self.model.run("The cat", drop_heads=["0.1"], sites=["heads"])
        self.assertEqual(sorted(run.arrays), ["attentions", "heads", "hidden_states", "logits"])
        other = self.model.run("The cat")
        self.assertFalse(np.array_equal(run.logits, other.logits))
        json_of = printed("model", "--text", "The cat")
        self.assertEqual(self.model.heads("The cat"), json_of["heads"])

    def test_sweeps_are_those_of_the_command(self):
        text = "The cat sat"
        for over, columns in ("heads", 4), ("layers", 2), ("places", 4):
            sweep = self.model.sweep(text, over=over, with_="mean", token=" on", against=" the")
            json_of = printed("sweep", "--text", text, "--over", over, "--with", "mean",
                              "--token", " on", "--against", " the")
            self.assertEqual(sweep.json, json_of)
            self.assertEqual(sweep.base, json_of["base"])
            self.assertEqual(sweep.values.shape, (2, columns))
            for at, effect in enumerate(json_of["effects"]):
                place = divmod(at, columns)
                self.assertEqual(effect["layer"], place[0])
                self.assertEqual(effect["value"], sweep.values[place])
                self.assertEqual(effect["direct"], sweep.direct[place])
                self.assertEqual(effect["kl"], sweep.kl[place])
                self.assertEqual(effect["probability"], sweep.probability[place])
                for name in "estimate", "looks", "adds":
                    number = getattr(sweep, name)[place]
                    self.assertEqual(effect[name], None if np.isnan(number) else number)
            self.assertIsNone(sweep.spread)

    def test_a_sweep_over_a_set_has_spreads(self):
        with headscope.open("headscope:induction") as model:
            sweep = model.sweep(set="template:induction", count=3, by="looks")
        effects = sweep.json["effects"]
        self.assertEqual(sweep.spread.shape, sweep.values.shape)
        self.assertEqual(sweep.spread.ravel().tolist(), [e["spread"] for e in effects])
        self.assertEqual(sweep.looks.ravel().tolist(), [e["looks"] for e in effects])
        self.assertGreater(sweep.spread.max(), 0.0)

    def test_a_sweep_by_place_has_an_axis_of_places(self):
        text = "The cat sat"
        each = self.model.sweep(text, over="layers", place="each", token=" on")
        tokens = len(self.model.run(text).tokens)
        self.assertEqual(each.values.shape, (2, 2, tokens))
        alone = self.model.sweep(text, over="layers", place=1, token=" on")
        np.testing.assert_allclose(each.values[:, :, 1], alone.values, atol=1e-5)

    def test_a_model_of_two_stacks_runs_without_sites(self):
        with headscope.open(ROOT / "tests/data/families/t5") as model:
            run = model.run(ids=[44, 59, 8], decoder_ids=[0, 5])
        self.assertIn("cross_attentions", run.arrays)

    def test_paths_have_the_rows_of_the_layers_before(self):
        paths = self.model.sweep("The cat sat", to="1.2:v", with_="mean")
        several = self.model.sweep("The cat sat", to=["1.2:v", "1.0:q"], with_="mean")
        self.assertEqual(len(several), 2)
        np.testing.assert_array_equal(several[0].values, paths.values)
        self.assertEqual(paths.values.shape, (1, 4))
        self.assertEqual(paths.json["to"], "1.2:v")
        keys = self.model.sweep("The cat sat", over="keys", with_="mean")
        self.assertEqual(keys.values.shape, (2, 4))

    def test_why_is_that_of_the_command(self):
        flags = ["--text", "The cat", "--token", " on", "--against", " the", "--depth", "2"]
        asked = {"token": " on", "against": " the", "depth": 2}
        self.assertEqual(self.model.why("The cat", **asked), printed("why", *flags))
        self.assertEqual(self.model.why("The cat", pairs=True, **asked),
                         printed("why", *flags, "--pairs"))

    def test_circuits_are_those_of_the_command(self):
        self.assertEqual(self.model.circuits(), printed("circuits"))
        self.assertEqual(self.model.circuits(layer=1, head=2, tokens=3),
                         printed("circuits", "--layer", "1", "--head", "2", "--tokens", "3"))

    def test_many_texts_take_one_process(self):
        first = self.model._process._child.pid
        for i in range(50):
            run = self.model.run(ids=np.arange(i % 7 + 1), sites=None)
            self.assertEqual(len(run.ids), i % 7 + 1)
        self.assertEqual(self.model._process._child.pid, first)

    def test_errors_are_sentences_and_the_model_stays_open(self):
        for ask, part in (
            (lambda: self.model.run(), "give one of them"),
            (lambda: self.model.run("a", words=2), '"words" is no field'),
            (lambda: self.model.sweep("a", token="The cat"), "--token"),
            (lambda: headscope.open("/nonexistent"), "/nonexistent"),
            (lambda: headscope.open(MODEL, program="/nonexistent"), "does not start"),
        ):
            with self.assertRaises(headscope.Error) as caught:
                ask()
            self.assertIn(part, str(caught.exception))
        self.assertEqual(len(self.model.run("The cat").tokens), 3)
        with self.assertRaises(AttributeError):
            self.model.run("The cat").nothing

    def test_a_closed_model_says_so(self):
        child = self.model._process._child
        with self.model:
            pass
        self.assertEqual(child.returncode, 0)
        with self.assertRaisesRegex(headscope.Error, "closed"):
            self.model.run("a")
        self.model.close()  # again

    def test_a_program_that_ends_is_an_error(self):
        self.model._process._child.kill()
        with self.assertRaisesRegex(headscope.Error, "status -9"):
            self.model.run("a")


    def test_an_interrupt_closes_the_model(self):
        child = self.model._process._child
        self.addCleanup(child.stdout.close)
        with unittest.mock.patch.object(child, "stdout") as stdout:
            stdout.readline.side_effect = KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                self.model.run("a")
        self.assertEqual(child.returncode, -9)
        with self.assertRaisesRegex(headscope.Error, "closed"):
            self.model.run("a")


class Program(unittest.TestCase):
    def test_is_found_by_the_environment_then_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "headscope")
            os.symlink(PROGRAM, link)
            saved = dict(os.environ)
            try:
                os.environ["HEADSCOPE"] = PROGRAM
                os.environ["PATH"] = folder
                self.assertEqual(process.find_program(), PROGRAM)
                del os.environ["HEADSCOPE"]
                self.assertEqual(process.find_program(), link)
                os.environ["HEADSCOPE"] = "/nonexistent"
                with self.assertRaisesRegex(headscope.Error, "HEADSCOPE names /nonexistent"):
                    process.find_program()
            finally:
                os.environ.clear()
                os.environ.update(saved)


class Readme(unittest.TestCase):
    def test_its_python_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(blocks), 1)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(blocks[0], {})
        self.assertIn("'token': 'b'", out.getvalue())


class Wheel(unittest.TestCase):
    def test_holds_the_module_and_its_metadata(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, wheel_backend.build_wheel(folder))
            run = [sys.executable, "-B", "-c",
                   "import headscope; print(headscope.__file__, headscope.__version__)"]
            out = subprocess.run(run, check=True, capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": path}).stdout
            self.assertEqual(out, f"{path}/headscope/__init__.py {headscope.__version__}\n")
            with zipfile.ZipFile(path) as wheel:
                record = wheel.read(f"headscope-{headscope.__version__}.dist-info/RECORD").decode()
                self.assertEqual([line.split(",")[0] for line in record.splitlines()],
                                 wheel.namelist())


class Safetensors(unittest.TestCase):
    def test_unknown_types_are_named(self):
        header = json.dumps({"w": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
        with tempfile.NamedTemporaryFile() as file:
            file.write(len(header).to_bytes(8, "little") + header + b"\0\0")
            file.flush()
            with self.assertRaisesRegex(ValueError, "w has numbers of the type BF16"):
                safetensors.read(file.name)


if __name__ == "__main__":
    unittest.main()
