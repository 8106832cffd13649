// Corpus: what a language model is trained on: a text as tokens, cut into a part that it learns
// from and a part that is held out, and the tokenizer that made them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/tokenizer/bpe_learning.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::language {

struct Corpus {
  std::string id;     // "stories", "text"
  std::string title;  // "Little stories", or the name of the text's file
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
  Json tokenizerFile;                           // the tokenizer as tokenizer.json holds it
  std::vector<tokenizer::LearnedMerge> merges;  // of a byte-pair encoding, in their order
  Index vocabulary = 0;                         // ids are below
  Index beginToken = 0;                         // stands before each text
  std::string example;                          // a text to begin with
  std::string sampleBeginning;                  // of a text that the model writes
  /// How to make it again, in a saved run: {"seed": 1, "tokens": 2000000}, or {"file": "book.txt",
  /// "cut_into": "words", "vocabulary": 4000}.
  Json source;
  std::vector<std::int32_t> training, heldOut;

  /// True if the questions about stories can be asked of a model that learned this.
  bool stories = false;
};
using CorpusPtr = std::shared_ptr<const Corpus>;

/// A hash of all tokens, in hexadecimal: two corpora with equal hashes teach the same.
std::string hashOf(const Corpus& corpus);

}  // namespace headscope::language
