#!/usr/bin/env python3
"""Writes a typeface for the page: without what only shaping and hinting use, without characters
for private use, and without those that all other given typefaces have.
Usage: subset_font.py <typeface> <written> [<other> ...]"""
import sys
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont


def characters(path):
    return {c for c in TTFont(path).getBestCmap() if unicodedata.category(chr(c)) != "Co"}


source, written, *others = sys.argv[1:]
kept = characters(source)
if others:
    kept -= set.intersection(*map(characters, others))
options = subset.Options(layout_features=[], hinting=False, name_IDs=[])
options.drop_tables += ["FFTM", "GDEF", "MATH"]
font = subset.load_font(source, options)
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=kept)
subsetter.subset(font)
subset.save_font(font, written, options)
