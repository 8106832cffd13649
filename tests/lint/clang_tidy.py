#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, over every source of core/ and app/.
clang_tidy.py BUILD_FOLDER

What was clean stays clean until the source, a header it includes or the list of checks changes:
BUILD_FOLDER/tidy keeps an empty file for each, named after all that it was checked with."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
CLEAN = BUILD / "tidy"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=BUILD)


def sources():
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    ours = (f"{ROOT}/core/", f"{ROOT}/app/")
    return [command for command in commands if command["file"].startswith(ours)]


def dependencies():
    """What each object was built from, as ninja knows it: {object: [file]}."""
    found, files = {}, []
    for line in run("ninja", "-t", "deps").stdout.splitlines():
        if line.endswith("(VALID)"):
            files = found.setdefault(line.split(": #deps")[0], [])
        elif line.startswith("    "):
            files.append(str((BUILD / line.strip()).resolve()))
    return found


class Stamps:
    """Names of what was checked; a file's digest is taken once."""

    def __init__(self):
        checks = (ROOT / ".clang-tidy").read_text() + run("clang-tidy", "--version").stdout
        self.checks = checks.encode()
        self.dependencies = dependencies()
        self.digests = {}

    def digest(self, file):
        if file not in self.digests:
            self.digests[file] = hashlib.sha256(pathlib.Path(file).read_bytes()).digest()
        return self.digests[file]

    def of(self, command):
        """None where the object is not built yet."""
        arguments = command["command"].split()
        files = self.dependencies.get(arguments[arguments.index("-o") + 1])
        if not files:
            return None
        text = self.checks + command["command"].encode() + b"".join(map(self.digest, files))
        return CLEAN / hashlib.sha256(text).hexdigest()[:32]


def findings(command, stamp):
    if stamp is not None and stamp.exists():
        return ""
    done = run("clang-tidy", "--quiet", "-p", str(BUILD), command["file"])
    if done.returncode != 0:
        return done.stdout or done.stderr
    if stamp is not None:
        stamp.touch()
    return ""


def main():
    CLEAN.mkdir(exist_ok=True)
    commands = sources()
    every = Stamps()
    stamps = [every.of(command) for command in commands]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = 0
        for text in pool.map(findings, commands, stamps):
            found += bool(text)
            print(text, end="", flush=True)
    for old in set(CLEAN.iterdir()) - set(stamps):
        old.unlink()
    print(f"clang-tidy: {len(commands)} files, {found} with findings")
    return 1 if found or not commands else 0


sys.exit(main())
