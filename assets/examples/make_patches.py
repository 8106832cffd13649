#!/usr/bin/env python3
"""Makes landscape.png, a drawn landscape of 224 × 224 pixels, and patches.csv: it as 14 × 14
patches of 16 × 16.

A row for each patch, from left to right and top to bottom, after one for the class token,
which holds the mean of every column. Columns: mean red, green, blue and brightness (0 to 1),
edge (mean step of brightness to the right and lower neighbour), row and column of the patch.
No randomness: running this again writes the same bytes:

    python3 make_patches.py
"""

import csv
import pathlib
import struct
import zlib

SIZE, PATCH = 224, 16
GRID = SIZE // PATCH


def pixel(x, y):
    """Sky, sun, two hills, a house with roof and door: (red, green, blue)."""
    if (x - 172) ** 2 + (y - 44) ** 2 < 24**2:
        return 1.00, 0.86, 0.30
    if 44 <= x < 100 and 128 <= y < 184:
        door = 64 <= x < 80 and y >= 152
        return (0.36, 0.22, 0.14) if door else (0.80, 0.42, 0.32)
    if 96 <= y < 128 and abs(x - 72) < 1.25 * (y - 96):
        return 0.48, 0.20, 0.18
    if y > 150 + (x - 60) ** 2 / 400:
        return 0.30, 0.58, 0.26
    if y > 120 + (x - 190) ** 2 / 160:
        return 0.42, 0.66, 0.38
    return 0.45 + 0.25 * y / SIZE, 0.66 + 0.18 * y / SIZE, 0.94


def brightness(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def patch(row, column):
    red = green = blue = bright = edge = 0.0
    for y in range(row * PATCH, (row + 1) * PATCH):
        for x in range(column * PATCH, (column + 1) * PATCH):
            rgb = pixel(x, y)
            here = brightness(rgb)
            red, green, blue, bright = red + rgb[0], green + rgb[1], blue + rgb[2], bright + here
            edge += abs(brightness(pixel(x + 1, y)) - here) + abs(brightness(pixel(x, y + 1)) - here)
    return [value / PATCH**2 for value in (red, green, blue, bright, edge)] + [row, column]


def png():
    """The landscape as PNG: each row behind a byte that says it is not filtered."""
    rows = b"".join(b"\0" + bytes(round(255 * value) for x in range(SIZE) for value in pixel(x, y))
                    for y in range(SIZE))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


pathlib.Path(__file__).with_name("landscape.png").write_bytes(png())

patches = [patch(row, column) for row in range(GRID) for column in range(GRID)]
class_token = [sum(column) / len(patches) for column in zip(*patches)]

with pathlib.Path(__file__).with_name("patches.csv").open("w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["red", "green", "blue", "brightness", "edge", "row", "column"])
    out.writerows([f"{value:.4f}" for value in values] for values in [class_token, *patches])
