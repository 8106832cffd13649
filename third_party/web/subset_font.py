#!/usr/bin/env python3
"""Writes a typeface for the page: what the interface takes from it, without what only shaping and
hinting use. Each typeface gives its letters of sentences (kTextRanges in app/ui/fonts.cpp), the one
that is given others all characters but these. Left out of it are characters for private use and
forms of Arabic letters by their place in a word.
Usage: subset_font.py <typeface> <written> [<other> ...]"""
import pathlib
import re
import sys
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont

PLACED = ("<initial>", "<medial>", "<final>", "<isolated>")


def letters_of_sentences():
    source = pathlib.Path(__file__).parents[2] / "app/ui/fonts.cpp"
    ranges = re.search(r"kTextRanges\[\] = \{(.*?)\};", source.read_text(), re.DOTALL)[1]
    return {character for first, last in re.findall(r"0x(\w+), 0x(\w+),", ranges)
            for character in range(int(first, 16), int(last, 16) + 1)}


def is_kept(character):
    return (unicodedata.category(character) != "Co"
            and not unicodedata.decomposition(character).startswith(PLACED))


def characters(path):
    return set(TTFont(path).getBestCmap())


source, written, *others = sys.argv[1:]
kept = characters(source)
if others:
    kept = {c for c in kept if is_kept(chr(c))} - set.intersection(*map(characters, others))
else:
    kept &= letters_of_sentences()
options = subset.Options(layout_features=[], hinting=False, name_IDs=[])
options.drop_tables += ["FFTM", "GDEF", "MATH"]
font = subset.load_font(source, options)
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=kept)
subsetter.subset(font)
subset.save_font(font, written, options)
