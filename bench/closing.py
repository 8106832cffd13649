#!/usr/bin/env python3
"""Measures how long the window takes to close while it computes: from asking it to close, as a window
manager does, to the end of the process; at moments spread over the start and a pass of seconds.

Usage: bench/closing.py [build/release/headscope [FLAG...]]   (default: 4,096 tokens, 16 heads)
"""

import ctypes
import statistics
import sys
import tempfile
import time
from pathlib import Path

from window import Screen, start

MOMENTS = 24
SPREAD_SECONDS = 4.0  # the first picture, the pass, its pictures and what is measured of it
CLIENT_MESSAGE = 33


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong),
                ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]


class Display:
    """What of Xlib it takes to find a window and to ask it to close."""

    def __init__(self, name):
        self.x = ctypes.CDLL("libX11.so.6")
        pointer, number = ctypes.c_void_p, ctypes.c_ulong
        for function, result, arguments in (
                ("XOpenDisplay", pointer, [ctypes.c_char_p]),
                ("XDefaultRootWindow", number, [pointer]),
                ("XInternAtom", number, [pointer, ctypes.c_char_p, ctypes.c_int]),
                ("XQueryTree", ctypes.c_int, [pointer, number] + [pointer] * 4),
                ("XFetchName", ctypes.c_int, [pointer, number, pointer]),
                ("XFree", ctypes.c_int, [pointer]),
                ("XSendEvent", ctypes.c_int,
                 [pointer, number, ctypes.c_int, ctypes.c_long, pointer]),
                ("XSync", ctypes.c_int, [pointer, ctypes.c_int])):
            getattr(self.x, function).restype = result
            getattr(self.x, function).argtypes = arguments
        self.display = self.x.XOpenDisplay(name.encode())
        if not self.display:
            sys.exit(f"no display {name}")

    def find(self, title):
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x.XQueryTree(self.display, self.x.XDefaultRootWindow(self.display),
                          ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
                          ctypes.byref(count))
        for window in children[:count.value]:
            name = ctypes.c_char_p()
            self.x.XFetchName(self.display, window, ctypes.byref(name))
            if name.value is not None and title in name.value:
                return window
        sys.exit("the window is not there")

    def ask_to_close(self, window):
        event = ClientMessage(type=CLIENT_MESSAGE, window=window, format=32)
        event.message_type = self.x.XInternAtom(self.display, b"WM_PROTOCOLS", 0)
        event.data[0] = self.x.XInternAtom(self.display, b"WM_DELETE_WINDOW", 0)
        self.x.XSendEvent(self.display, window, 0, 0, ctypes.byref(event))
        self.x.XSync(self.display, 0)


def seconds_to_close(command, screen, display, after):
    """Closed `after` seconds from its first picture."""
    program = start(command, screen)
    while screen.blank_share() > 0.5:
        if program.poll() is not None:
            sys.exit(f"the program ended with status {program.returncode}")
        time.sleep(0.002)
    time.sleep(after)
    window = display.find(b"headscope")
    began = time.perf_counter()
    display.ask_to_close(window)
    if program.wait() != 0:
        sys.exit(f"the program ended with status {program.returncode}")
    taken = time.perf_counter() - began
    while screen.blank_share() < 0.5:
        time.sleep(0.01)
    return taken


def main():
    root = Path(__file__).resolve().parent.parent
    command = sys.argv[1:] or [str(root / "build/release/headscope"), "--d-model", "256", "--heads",
                               "16", "--seq-len", "4096", "--text", "the cat sat on the mat"]
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(folder)
        try:
            display = Display(screen.name)
            taken = [seconds_to_close(command, screen, display, SPREAD_SECONDS * i / MOMENTS)
                     for i in range(MOMENTS)]
            print(f"closed: best {min(taken) * 1e3:.0f} ms, "
                  f"median {statistics.median(taken) * 1e3:.0f} ms, "
                  f"worst {max(taken) * 1e3:.0f} ms of {MOMENTS} moments")
        finally:
            screen.close()


if __name__ == "__main__":
    main()
