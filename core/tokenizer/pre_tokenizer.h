// Pre-tokenizers: how a tokeniser cuts a text into words before its model sees them, one step after
// another; no token reaches over the border of a word. Named as in tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/pattern.h"

namespace headscope::tokenizer {

/// What becomes of what a text is cut at: gone, a word of its own, part of the word before or
/// behind, or one word with its like beside it.
enum class Delimiter { removed, isolated, mergedWithPrevious, mergedWithNext, contiguous };

struct SplitPreTokenizer {
  Pattern pattern;
  Delimiter behavior = Delimiter::isolated;
  bool invert = false;  // cuts at what the pattern is not
};
/// White space removed, every punctuation mark alone.
struct BertPreTokenizer {};
/// Words (\w+) and runs of what is neither word nor space.
struct WhitespacePreTokenizer {};
/// At white space alone.
struct WhitespaceSplitPreTokenizer {};
struct PunctuationPreTokenizer {
  Delimiter behavior = Delimiter::isolated;
};
struct DigitsPreTokenizer {
  bool individual = false;
};
struct CharDelimiterPreTokenizer {
  std::int32_t delimiter;
};
/// GPT-2's: cuts by its expression, then writes bytes as characters.
struct ByteLevelPreTokenizer {
  bool addPrefixSpace = true;
  bool useRegex = true;
};
/// SentencePiece's: spaces become `replacement`, which begins words.
struct MetaspacePreTokenizer {
  enum class Prepend { always, first, never };  // `replacement` where there is none
  std::string replacement = "\u2581";
  Prepend prepend = Prepend::always;
  bool split = true;
};

using PreTokenizer =
    std::variant<SplitPreTokenizer, BertPreTokenizer, WhitespacePreTokenizer,
                 WhitespaceSplitPreTokenizer, PunctuationPreTokenizer, DigitsPreTokenizer,
                 CharDelimiterPreTokenizer, ByteLevelPreTokenizer, MetaspacePreTokenizer>;

/// A text and the words that it was cut into, in order, none empty.
struct Words {
  AlignedText text;
  std::vector<Span> words;

  /// All of it one word.
  explicit Words(AlignedText whole);
};

void preTokenize(const std::vector<PreTokenizer>& steps, Words& words);

}  // namespace headscope::tokenizer
