"""headscope: every array of a transformer's pass, sweeps over its heads, why it says a word, and any
program's attention weights in a window.

    import headscope
    with headscope.open("path/to/gpt2") as m:
        r = m.run("The cat sat")
        print(r.tokens, r.attentions.shape, r.predictions[-1][0])
        effects = m.sweep("The cat sat", over="heads", with_="mean", token=" on")
        print(effects.values - effects.base)
    headscope.show(attentions, tokens)  # (layers, heads, T, T) of any program, in headscope's window

It needs NumPy and the program headscope, which reads models in Hugging Face's layout or GGUF.
"""
from .model import Model, Pass, Sweep
from .process import Error
from .show import save_attentions, save_page, show

__all__ = ["Error", "Model", "Pass", "Sweep", "open", "save_attentions", "save_page", "show"]
__version__ = "1.0.0"


def open(folder, *, strict=False, threads=0, program=None):
    """Opens a model's folder, or a .gguf file, and returns the Model.

    `strict`: refuse a folder with fields or tensors that a pass would leave out. `threads`: how
    many compute, 0 for all. `program`: the path of headscope. Raises headscope.Error."""
    return Model(folder, strict=strict, threads=threads, program=program)
