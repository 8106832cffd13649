#!/usr/bin/env python3
"""Finds comments that need the sentence before them, and words that are not the trade's.

A comment begins with a subject or a verb, so that it can be read by itself. The words below were the
project's own; each has a word that every developer knows (CONTRIBUTING.md, "How we write"). Texts in
quotes are not looked at: what users read is written for users.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("app", "bench", "core", "tests", "third_party", "shaders")
OPENINGS = re.compile(r"(Of|What|The same|That|Such|Whether|Nothing|As)\b")
WORDS = {"anew": "again", "beside": "next to", "goOn": "resume", "goesOn": "continues", "told": "says"}
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def household_words(line):
    """The words of WORDS in a line: whole, or as a part of a name in camel case."""
    for word, better in WORDS.items():
        part = word[0].upper() + word[1:]
        if re.search(rf"\b{word}\b|\b{word}(?=[A-Z_])|(?<=[a-z_]){part}(?![a-z])|\b{part}(?=[A-Z])", line):
            yield f"“{word}”: write “{better}”, or what it means here"


def findings(path):
    code = path.suffix in (".h", ".cpp")
    comment = re.compile(r"\s*///?\s+(.*)" if code else r"\s*#\s+(.*)")
    in_comment = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = comment.match(line)
        if match and not in_comment and OPENINGS.match(match[1]):
            yield number, "a comment begins with a subject or a verb: " + match[1]
        in_comment = bool(match)
        if code:
            for found in household_words(QUOTED.sub('""', line)):
                yield number, found


def main():
    found = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            kind = path.suffix in (".h", ".cpp", ".py", ".sh", ".cmake") or path.name == "CMakeLists.txt"
            if not kind or "data" in path.parts:
                continue
            for number, words in findings(path):
                print(f"{path.relative_to(ROOT)}:{number}: {words}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
