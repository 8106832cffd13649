// Pre-tokenizers: the steps that split a text into words before the model sees them, one after
// another. No token crosses the end of a word. Named as in tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/pattern.h"

namespace headscope::tokenizer {

/// The treatment of the delimiters of a split: removed, a separate word, part of the previous or
/// next word, or one word together with adjacent delimiters.
enum class Delimiter { removed, isolated, mergedWithPrevious, mergedWithNext, contiguous };

struct SplitPreTokenizer {
  Pattern pattern;
  Delimiter behavior = Delimiter::isolated;
  bool invert = false;  // splits at the text between matches
};
/// Splits at white space, which is removed, and isolates every punctuation mark.
struct BertPreTokenizer {};
/// Keeps words (\w+) and runs of characters that are neither word characters nor white space.
struct WhitespacePreTokenizer {};
/// Splits at white space only.
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
/// GPT-2's: splits by its expression, then writes bytes as characters.
struct ByteLevelPreTokenizer {
  bool addPrefixSpace = true;
  bool useRegex = true;
};
/// SentencePiece's: spaces become `replacement`, and words begin with it.
struct MetaspacePreTokenizer {
  enum class Prepend { always, first, never };  // adds a missing `replacement`
  std::string replacement = "\u2581";
  Prepend prepend = Prepend::always;
  bool split = true;
};

using PreTokenizer =
    std::variant<SplitPreTokenizer, BertPreTokenizer, WhitespacePreTokenizer,
                 WhitespaceSplitPreTokenizer, PunctuationPreTokenizer, DigitsPreTokenizer,
                 CharDelimiterPreTokenizer, ByteLevelPreTokenizer, MetaspacePreTokenizer>;

/// A text and its words, in order; no word is empty.
struct Words {
  AlignedText text;
  std::vector<Span> words;

  /// Makes the whole text one word.
  explicit Words(AlignedText whole);
};

void preTokenize(const std::vector<PreTokenizer>& steps, Words& words);

}  // namespace headscope::tokenizer
