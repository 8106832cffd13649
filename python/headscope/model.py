"""Models, their passes and sweeps. L layers, H heads (H_kv of keys and values), T tokens,
D = d_model, V tokens in the vocabulary; layers, heads and places count from 0."""
import os
import tempfile

import numpy as np

from . import safetensors
from .process import Process


class Pass:
    """One pass of a model, with arrays of float32 by name, as `r["q"]` or `r.q`:

    attentions     (L, H, T, T)  the weights: query, key
    hidden_states  (L + 1, T, D) before the first and after each layer, as transformers gives them
    logits         (T, V)        of an image (V); absent from a model without a readout, which has
    last_hidden_state (T, D)     in their place
    q, heads       (L, H, T, d_k) queries before any norm or rotation; each head's output before W_O
    k, v           (L, H_kv, T, d_k)
    residual       (L, T, D)     what enters each layer
    attention      (L, T, D)     what its attention adds to it
    network        (L, T, D)     what its network adds; absent from a model of attention alone
    """

    def __init__(self, result, arrays):
        self.ids = np.array(result.get("ids", []), dtype=int)  # none of an image
        self.tokens = result.get("tokens")  # None without a tokenizer
        # by place, best first: [{"id", "p", "token"}, …]; of an image one list, with "label"
        self.predictions = result["predictions"]
        self.json = result  # what `headscope model --json` prints
        self.arrays = arrays

    def __repr__(self):
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.arrays.items())
        return f"<headscope.Pass of {len(self.tokens or self.ids)} tokens: {shapes}>"

    def __getitem__(self, name):
        return self.arrays[name]

    def __getattr__(self, name):
        try:
            return self.__dict__["arrays"][name]
        except KeyError:
            raise AttributeError(f"this pass has no array {name!r}") from None

    def __dir__(self):
        return [*super().__dir__(), *self.arrays]


class Sweep:
    """The effects of replacing each part of a model. Arrays of float64, one row for each layer:
    (L, H) over heads and queries; (L, H_kv) over keys and values; (L, 2), attention and network,
    over layers; (L, T) over places. With place="each" a last axis of T places follows. With `to`,
    one row for each layer before the receiver's.
    Of a model with an encoder and a decoder they are one-dimensional, in the order of `parts`.

    values       the word's logit, or difference of logits, after the change
    direct       the part of the change that reaches the logit past all later layers; nan: undefined
    estimate     of the change, by gradient × difference; nan: undefined
    probability  of the word, after the change
    kl           from the base's prediction, in nats
    looks        a head's weight from the asked token on the word that decides; nan: there is none
    adds         what the part itself adds to the logit in the base pass; nan: undefined
    spread       the standard deviation of the change, or of the number that `by` names, over the
                 texts of a set; None of one text
    base         the logit without a change
    parts        of each number: a dict with attention (of two stacks), layer, and head, kv_head,
                 place or part
    """

    def __init__(self, result):
        effects = result["effects"]
        two = any("attention" in effect for effect in effects)
        rows = len({effect["layer"] for effect in effects})
        places = ("attention", "layer", "head", "kv_head", "place", "part")
        self.parts = [{name: e[name] for name in places if name in e} for e in effects]

        def array(name):
            numbers = np.array([np.nan if e[name] is None else float(e[name]) for e in effects])
            if two:
                return numbers
            if result.get("place") == "each":
                return numbers.reshape(rows, -1, len({e["place"] for e in effects}))
            return numbers.reshape(rows, -1)

        self.values = array("value")
        self.direct = array("direct")
        self.estimate = array("estimate")
        self.probability = array("probability")
        self.kl = array("kl")
        self.looks = array("looks")
        self.adds = array("adds")
        self.spread = array("spread") if "texts" in result else None
        self.base = float(result["base"])
        self.json = result  # what `headscope sweep --json` prints


class Model:
    """An open model. It is read once, by a process that ends with `close()` or the `with` block.

    Texts are given as `text`, as `ids` without the tokenizer, or as a `pair` of texts; a model of
    images takes `image`, the path of a picture, or `pixels`, that of a file, and a CLIP with it a
    list of texts as `text`. Further
    options are the flags of `headscope model|sweep|why`, with _ for -. All methods raise
    headscope.Error with the program's sentence.
    """

    def __init__(self, folder, *, strict=False, threads=0, program=None):
        """`threads`: how many compute, 0 for all. `program`: see process.find_program."""
        self._threads = threads
        self._process = Process(program)
        try:
            opened = self._process.request("open", folder=os.fspath(folder), strict=strict)
        except BaseException:
            self._process.close()
            raise
        self._folder = os.fspath(folder)
        self._number = opened["model"]
        self.config = opened["config"]
        self.notes = opened["notes"]  # what of the folder a pass leaves out, in sentences

    def run(self, text=None, *, ids=None, pair=None, sites="all", drop_heads=None, **options):
        """Returns the Pass of a text. `sites`: which arrays it has besides attentions,
        hidden_states and logits: "all", "q,heads", or None; of a model with two stacks there are
        none. `drop_heads`: heads to switch off, ["0.3", "5.1"]."""
        if sites == "all" and "encoder" in self.config:
            sites = None
        with tempfile.TemporaryDirectory(prefix="headscope") as folder:
            trace = os.path.join(folder, "pass.safetensors")
            result = self._ask("model", text=text, ids=ids, pair=pair, drop_heads=drop_heads,
                               trace=trace, sites=sites, no_heads=True, **options)
            return Pass(result, safetensors.read(trace))

    def heads(self, text=None, *, ids=None, pair=None, **options):
        """Returns the measures and the label of each head on a text: a list of dicts."""
        return self._ask("model", text=text, ids=ids, pair=pair, predictions=0, **options)["heads"]

    def sweep(self, text=None, *, over="heads", with_="zero", ids=None, token=None, against=None,
              **options):
        """Replaces each part in turn and returns the Sweep of its effects on a word.

        `over`: "heads", "layers", "places", "queries", "keys" or "values". `with_`: "zero", "mean",
        or "other" with `other_text` or `other_ids`. `place`: the token at which parts are replaced,
        "asked" or "each". `token`: the word, " on"; absent: the most probable one.
        `against`: a word whose logit is subtracted. `set`: a file of texts to sweep over, or a
        template, "template:ioi", with `count` and `seed`. `to`: the receiver of paths, "9.6:q"; of
        several, ["9.6:q", "9.9:q"] or "all:q", a list of a Sweep for each is returned.
        """
        result = self._ask("sweep", text=text, ids=ids, over=over, token=token, against=against,
                           **{"with": with_}, **options)
        return [Sweep(each) for each in result["sweeps"]] if "sweeps" in result else Sweep(result)

    def why(self, text=None, *, ids=None, token=None, against=None, depth=None, **options):
        """Follows a word back to the tokens that were read; returns what `headscope why --json`
        prints. `depth`: the number of steps. `score`: begins at a head's score instead of a word,
        "1.2:5:3" (layer 1, head 2, from place 5 to place 3). `pairs=True` runs the model again
        without the largest pairs of writers of each score, too; `through="heads"` follows heads
        alone."""
        return self._ask("why", text=text, ids=ids, token=token, against=against, depth=depth,
                         **options)

    def circuits(self, layer=None, head=None, **options):
        """Returns what heads do by their weights alone, as `headscope circuits --json` prints it: of
        all heads, or with the tokens that the directions of some stand for. `head`: 2 with `layer`,
        otherwise "1.2", several with commas, or "all"."""
        return self._ask("circuits", layer=layer, head=head, **options)

    def ask(self, command, **fields):
        """Returns the JSON of any command that `headscope serve` has, as a dict."""
        return self._process.request(command, model=self._number, **fields)

    def close(self):
        """Ends the process. The arrays of its passes stay."""
        self._process.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<headscope.Model {self._folder}: {self.config['layers']} layers>"

    def _ask(self, command, **fields):
        matched = fields.get("image") or fields.get("pixels")  # CLIP matches it with several texts
        if not isinstance(fields.get("text"), (str, type(None))) and not matched:
            raise TypeError(f"text is one text, a str, not a {type(fields['text']).__name__}: take several "
                            "in turn, [m.run(text) for text in texts], or sweep over a set of them")
        return self.ask(command, threads=self._threads, **fields)
