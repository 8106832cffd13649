#!/usr/bin/env python3
"""Writes assets/word_forms.txt: frequent English words and what each of them can be.

    apt-get install wordnet-base wamerican-small wbritish-small
    python3 third_party/wordnet/make_word_forms.py > assets/word_forms.txt

The readings and their frequencies come from WordNet 3.0 (how often a tagged text has a sense). The
words are those of WordNet that occur in that text at least twice, or that are in a small spelling
list, American or British.
"""
import collections
import re
import sys
import textwrap

WORDNET = "/usr/share/wordnet/"
SPELLINGS = [f"/usr/share/dict/{name}-english-small" for name in ("american", "british")]
OFTEN = 2
RARE = 0.15  # readings below this share are marked as rare

# Sense keys number the parts of speech; 5 is a satellite adjective.
LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def counted():
    counts = collections.defaultdict(collections.Counter)
    for line in open(WORDNET + "cntlist.rev"):
        key, _, count = line.split()
        lemma, rest = key.split("%")
        counts[lemma][LETTERS[rest[0]]] += int(count)
    return counts


def senses():
    numbers = collections.defaultdict(dict)
    for letter, name in FILES.items():
        for line in open(WORDNET + "index." + name):
            fields = line.split()
            if not line.startswith(" ") and re.fullmatch("[a-z]+", fields[0]):
                numbers[fields[0]][letter] = int(fields[2])
    return numbers


def irregular(name):
    for line in open(WORDNET + name + ".exc"):
        form, *lemmas = line.split()
        for lemma in lemmas:
            if re.fullmatch("[a-z]+", form) and re.fullmatch("[a-z]+", lemma):
                yield form, lemma


def main():
    counts, numbers = counted(), senses()
    frequent = {line.strip().lower() for path in SPELLINGS for line in open(path)}
    words = {w for w in numbers
             if len(w) > 1 and (w in frequent or sum(counts[w].values()) >= OFTEN)}

    scores = collections.defaultdict(collections.Counter)
    for word in words:
        for letter, number in numbers[word].items():
            scores[word][letter] = counts[word][letter] + 0.3 * number + 0.3 * (letter == "n")
    # Forms that the rules of core/input/word_table.cpp do not derive: past tenses, plurals,
    # comparatives. A form is as frequent as a part of its lemma.
    for form, lemma in irregular("verb"):
        regular = form.endswith(("ed", "ing"))
        if lemma in words and not regular:
            scores[form]["d"] += 0.3 * counts[lemma]["v"] + 0.3
    for form, lemma in irregular("noun"):
        if lemma in words and "n" in numbers[lemma] and not form.endswith("s"):
            scores[form]["p"] += 0.3 * counts[lemma]["n"] + 0.3
    for form, lemma in irregular("adj"):
        if lemma in words and not form.endswith(("ier", "iest")):
            scores[form]["a"] += 0.1 * counts[lemma]["a"] + 0.1

    groups = collections.defaultdict(list)
    for word, score in scores.items():
        total = sum(score.values())
        ranked = sorted(score, key=lambda letter: (-score[letter], letter))
        usual = [letter for letter in ranked if score[letter] >= RARE * total]
        rare = [letter for letter in ranked if RARE * total > score[letter] >= 0.02 * total]
        groups["".join(usual) + ("." + "".join(rare) if rare else "")].append(word)

    print(NOTICE.strip())
    for group in sorted(groups):
        print(f"\n[{group}]")
        print("\n".join(textwrap.wrap(" ".join(sorted(groups[group])), 100)))
    total = sum(len(group) for group in groups.values())
    print(f"{total} words in {len(groups)} groups", file=sys.stderr)


NOTICE = '''
# Frequent English words by what each can be, the most frequent first, rare ones after the point:
# n noun, p plural of another noun, v verb, d past tense or participle of another verb, a adjective,
# r adverb. Made from WordNet by third_party/wordnet/make_word_forms.py; words were chosen with the
# spelling lists of SCOWL (Spell Checker Oriented Word Lists).
#
# SCOWL: Copyright 2000-2011 by Kevin Atkinson. Permission to use, copy, modify, distribute and sell
# these word lists, the associated scripts, the output created from the scripts, and its
# documentation for any purpose is hereby granted without fee, provided that the above copyright
# notice appears in all copies and that both that copyright notice and this permission notice appear
# in supporting documentation. Kevin Atkinson makes no representations about the suitability of this
# array for any purpose. It is provided "as is" without express or implied warranty.
#
# WordNet Release 3.0
#
# This software and database is being provided to you, the LICENSEE, by Princeton University under
# the following license. By obtaining, using and/or copying this software and database, you agree
# that you have read, understood, and will comply with these terms and conditions.:
#
# Permission to use, copy, modify and distribute this software and database and its documentation
# for any purpose and without fee or royalty is hereby granted, provided that you agree to comply
# with the following copyright notice and statements, including the disclaimer, and that the same
# appear on ALL copies of the software, database and documentation, including modifications that you
# make for internal use or for distribution.
#
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.
#
# THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS
# OR WARRANTIES, EXPRESS OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY
# MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR
# THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY
# PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS.
#
# The name of Princeton University or Princeton may not be used in advertising or publicity
# pertaining to distribution of the software and/or database. Title to copyright in this software,
# database and any associated documentation shall at all times remain with Princeton University and
# LICENSEE agrees to preserve same.
'''

if __name__ == "__main__":
    main()
