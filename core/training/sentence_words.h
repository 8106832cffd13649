// Sentence words: the words that generated sentences (sentences.h) draw from, by their place in the
// grammar, each with its word class there.
#pragma once

#include <string>
#include <vector>

#include "core/input/embedding.h"
#include "core/input/lexicon.h"

namespace headscope::training {

/// Words that may stand at one place of a sentence.
struct WordList {
  WordClass wordClass;
  std::vector<std::string> words;
  /// True if a written sentence may have any word of this class here.
  bool open = false;
};

struct SentenceWords {
  SentenceWords();

  WordList determiners, adjectives, nouns, verbs, adverbs, prepositions;
  WordList owners;  // "sister's"
  WordList madeUp;  // for nouns, verbs, adjectives; they carry no information but identity
  WordList copulas, auxiliaries, doForms, perfects;
  WordList degrees, openings, times, often;
  WordList relatives, relativesAfterComma;
  WordList subjects, objects, anySubjects;  // pronouns; the last refer to no noun
  WordList conjunctions, fronted, asking, reporting;
  WordList negations, ends;
  // Only in sentences that are read.
  WordList negatives, anyCopulas, reflexives, indefinites;
};
const SentenceWords& sentenceVocabulary();

/// All words that a sentence may hold, each once for each of its classes, sorted.
std::vector<ClassedWord> sentenceWords();

}  // namespace headscope::training
