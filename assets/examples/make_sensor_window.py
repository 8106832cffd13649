#!/usr/bin/env python3
"""Makes the sensor windows beside this file: sensor_a.csv and sensor_b.csv.

Each is thirty steps of a machine's temperature (°C), pressure (bar) and vibration (mm/s):
a slow trend, a change of level at one step (the change point), one outlier (the spike),
and noise. Python's random.random() gives the same numbers everywhere, so running this
again writes the same bytes:

    python3 make_sensor_window.py
"""

import csv
import pathlib
import random

STEPS = 30


def noise(rng):
    """About normal, mean 0, standard deviation 1: the sum of twelve uniform numbers."""
    return sum(rng.random() for _ in range(12)) - 6.0


def sensor_a(rng):
    """Warms slowly; vibration spikes at step 7, pressure drops for good at step 18."""
    for t in range(STEPS):
        temperature = 61.0 + 0.12 * t + 0.35 * noise(rng)
        pressure = (5.20 if t < 18 else 4.35) + 0.05 * noise(rng)
        vibration = 1.10 + 0.06 * noise(rng) + (1.9 if t == 7 else 0.0)
        yield temperature, pressure, vibration


def sensor_b(rng):
    """Cools slowly; vibration rises for good at step 13, pressure spikes at step 22."""
    for t in range(STEPS):
        temperature = 66.0 - 0.08 * t + 0.35 * noise(rng)
        pressure = 5.00 + 0.05 * noise(rng) + (1.4 if t == 22 else 0.0)
        vibration = (0.95 if t < 13 else 1.70) + 0.06 * noise(rng)
        yield temperature, pressure, vibration


def write(name, rows):
    path = pathlib.Path(__file__).with_name(name)
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["temperature", "pressure", "vibration"])
        out.writerows([f"{value:.3f}" for value in row] for row in rows)


write("sensor_a.csv", sensor_a(random.Random(1)))
write("sensor_b.csv", sensor_b(random.Random(2)))
