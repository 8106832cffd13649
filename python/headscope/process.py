"""The program that computes: `headscope serve --stdio`, one process for each open model."""
import json
import os
import pathlib
import shutil
import subprocess
import threading
import weakref


class Error(RuntimeError):
    """What the program refused, in its own words, or why there is no program to ask."""


def find_program():
    """Returns the path of the program: the environment's HEADSCOPE, `headscope` on the PATH, or the
    build folder of the checkout that this module lies in. Raises Error where there is none."""
    named = os.environ.get("HEADSCOPE")
    if named:
        if not shutil.which(named):
            raise Error(f"HEADSCOPE names {named}, which is no program")
        return named
    found = shutil.which("headscope")
    if found:
        return found
    root = pathlib.Path(__file__).resolve().parents[2]
    for build in ("release", "dev"):
        program = root / "build" / build / "headscope"
        if program.is_file():
            return str(program)
    raise Error("there is no headscope on the PATH: install it, or set HEADSCOPE to its path")


class Process:
    """One running program. Requests of several threads are answered one after the other."""

    def __init__(self, program=None):
        command = [program or find_program(), "serve", "--stdio"]
        try:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        except OSError as error:
            raise Error(f"{command[0]} does not start: {error}") from error
        self._lock = threading.Lock()
        self._last_id = 0
        self._end = weakref.finalize(self, _end, self._child)

    def request(self, command, **fields):
        """Returns the result of a command. Fields that are None are left out. Raises Error with the
        program's sentence."""
        with self._lock:
            if not self._end.alive:
                raise Error("the model is closed: open it again")
            self._last_id += 1
            fields = {name: value for name, value in fields.items() if value is not None}
            line = json.dumps({"id": self._last_id, "command": command, **fields}, default=_plain)
            try:
                self._child.stdin.write(line + "\n")
                self._child.stdin.flush()
                answer = self._child.stdout.readline()
            except OSError:
                answer = ""
            except BaseException:  # an interrupt: its answer would be read as the next one's
                self._child.kill()
                self._end()
                raise
            if not answer:
                self._end()
                raise Error(f"the program ended with the status {self._child.returncode}")
        answer = json.loads(answer)
        if "error" in answer:
            raise Error(answer["error"])
        return answer["result"]

    def close(self):
        """Ends the program."""
        with self._lock:
            self._end()


def _end(child):
    try:
        child.stdin.close()
    except OSError:  # it ended by itself, with a request unread
        pass
    child.stdout.close()
    child.wait()


def _plain(value):
    """NumPy's numbers and arrays, tuples' cousins and paths as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value)
