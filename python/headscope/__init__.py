"""headscope: every array of a transformer's pass, sweeps over its heads, and why it says a word.

    import headscope
    with headscope.open("path/to/gpt2") as m:
        r = m.run("The cat sat")
        print(r.tokens, r.attentions.shape, r.predictions[-1][0])
        effects = m.sweep("The cat sat", over="heads", with_="mean", token=" on")
        print(effects.values - effects.base)

It needs NumPy and the program headscope, which reads models in Hugging Face's layout or GGUF.
"""
from .model import Model, Pass, Sweep
from .process import Error

__all__ = ["Error", "Model", "Pass", "Sweep", "open"]
__version__ = "1.0.0"


def open(folder, *, strict=False, threads=0, program=None):
    """Opens a model's folder, or a .gguf file, and returns the Model.

    `strict`: refuse a folder with fields or tensors that a pass would leave out. `threads`: how
    many compute, 0 for all. `program`: the path of headscope. Raises headscope.Error."""
    return Model(folder, strict=strict, threads=threads, program=program)
