"""Runs the scripts of several exports in one process, since PyTorch takes long to start.

Usage: run_scripts.py FOLDER...; prints a JSON list of {"status", "out"} in that order.
"""

import contextlib
import io
import json
import runpy
import sys


def run(folder):
    out = io.StringIO()
    status = 0
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(f"{folder}/check_attention.py", run_name="__main__")
        except SystemExit as exit:
            status = exit.code if isinstance(exit.code, int) else 1
            if isinstance(exit.code, str):
                out.write(exit.code)
        except Exception as error:
            status = -1
            out.write(f"{type(error).__name__}: {error}")
    return {"status": status, "out": out.getvalue()}


results = [run(folder) for folder in sys.argv[1:]]
print(json.dumps(results))
