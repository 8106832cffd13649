#!/usr/bin/env python3
"""Measures the real window from outside, on a virtual display: time from start to the first frame,
CPU time of the start and while nothing happens.

Usage: bench/window.py [build/release/headscope [FLAG...]]

Xvfb keeps its screen in a file (-fbdir), which is watched here: no cooperation of the program is
needed, and watching costs next to nothing. A frame counts once its pixels are on the screen.
"""

import argparse
import mmap
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

WIDTH, HEIGHT = 1600, 1000
ROW_STEP = 8  # rows of the screen that are looked at: every eighth
STARTS = 9
REST_SECONDS = 2.0  # until everything at the start is over
IDLE_SECONDS = 10.0


class Screen:
    """A virtual display and its pixels."""

    def __init__(self, folder):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{WIDTH}x{HEIGHT}x24",
             "-fbdir", folder, "-noreset", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as answer:
            self.name = ":" + answer.readline().strip()
        with open(Path(folder) / "Xvfb_screen0", "rb") as file:
            self.pixels = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # The file is an X window dump: a header whose size it tells, colours, then rows.
        header = struct.unpack(">25I", self.pixels[:100])
        self.bytes_per_row = header[12]
        self.start = header[0] + 12 * header[19]

    def fingerprint(self):
        value = 0
        for row in range(0, HEIGHT, ROW_STEP):
            at = self.start + row * self.bytes_per_row
            value = zlib.crc32(self.pixels[at : at + self.bytes_per_row], value)
        return value

    def blank_share(self):
        """Of the pixels looked at, how many are black."""
        black = 0
        for row in range(0, HEIGHT, ROW_STEP):
            at = self.start + row * self.bytes_per_row
            black += self.pixels[at : at + self.bytes_per_row].count(b"\0\0\0")
        return black / (WIDTH * len(range(0, HEIGHT, ROW_STEP)))

    def close(self):
        self.pixels.close()
        self.server.terminate()
        self.server.wait()


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(command, screen):
    environment = dict(os.environ, DISPLAY=screen.name, LIBGL_ALWAYS_SOFTWARE="1")
    environment.pop("WAYLAND_DISPLAY", None)
    return subprocess.Popen(command, env=environment)


def stop(program):
    program.terminate()
    program.wait()


def first_frame(command, screen):
    """Seconds from start to the first pixels of the interface, and to the last change of them; and
    the CPU time of all of it, which other programs' load changes less."""
    before = screen.fingerprint()
    began = time.perf_counter()
    program = start(command, screen)
    first = last = None
    while time.perf_counter() - began < (REST_SECONDS if first else 20.0):
        now = screen.fingerprint()
        seen = time.perf_counter() - began
        if now != before:
            before, last = now, seen
            if first is None and screen.blank_share() < 0.5:
                first = seen
        if program.poll() is not None:
            sys.exit(f"the program ended with status {program.returncode}")
        time.sleep(0.002)
    used = cpu_seconds(program.pid)
    stop(program)
    time.sleep(0.5)  # the window has left the screen
    if first is None:
        sys.exit("no frame within 20 seconds")
    return first, last, used


def idle_share(command, screen):
    program = start(command, screen)
    time.sleep(REST_SECONDS + 1.0)
    picture, before = screen.fingerprint(), cpu_seconds(program.pid)
    time.sleep(IDLE_SECONDS)
    used = cpu_seconds(program.pid) - before
    changed = screen.fingerprint() != picture
    stop(program)
    return used / IDLE_SECONDS, changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("command", nargs=argparse.REMAINDER, default=[],
                        help="the program and its flags (default: build/release/headscope)")
    root = Path(__file__).resolve().parent.parent
    command = parser.parse_args().command or [str(root / "build/release/headscope")]
    if shutil.which("Xvfb") is None:
        sys.exit("Xvfb is missing: apt-get install xvfb")
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(folder)
        try:
            times = [first_frame(command, screen) for _ in range(STARTS)]
            for what, each in zip(("first frame on the screen", "last change of the picture",
                                   "CPU time of the start"), zip(*times)):
                print(f"{what}: best {min(each) * 1e3:.0f} ms, "
                      f"median {statistics.median(each) * 1e3:.0f} ms of {STARTS} starts")
            share, changed = idle_share(command, screen)
            print(f"idle: {100 * share:.2f} % of one core over {IDLE_SECONDS:.0f} s"
                  + (", and the picture changed" if changed else ""))
        finally:
            screen.close()


if __name__ == "__main__":
    main()
