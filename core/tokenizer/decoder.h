// Decoders: the steps that turn tokens back into text, one after another. Named as in
// tokenizer.json.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizer/pattern.h"

namespace headscope::tokenizer {

/// Turns byte characters into their bytes; invalid UTF-8 becomes U+FFFD.
struct ByteLevelDecoder {};
/// A token that begins with "##" continues a word; any other token begins with a space.
struct WordPieceDecoder {
  std::string prefix = "##";
  bool cleanup = true;  // no space before "." and the like
};
/// "</w>" ends a word.
struct BpeDecoder {
  std::string suffix = "</w>";
};
struct MetaspaceDecoder {
  std::string replacement = "\u2581";
  bool dropsFirst = true;  // the first one, which the pre-tokenizer added
};
/// Turns "<0xE2>" into that byte.
struct ByteFallbackDecoder {};
/// Joins all tokens into one.
struct FuseDecoder {};
struct StripDecoder {
  std::string content;  // one character
  std::size_t start = 0, stop = 0;
};
struct ReplaceDecoder {
  Pattern pattern;
  std::string content;
};

using Decoder = std::variant<ByteLevelDecoder, WordPieceDecoder, BpeDecoder, MetaspaceDecoder,
                             ByteFallbackDecoder, FuseDecoder, StripDecoder, ReplaceDecoder>;

/// Decodes tokens to a text. Without steps, the tokens are joined by spaces.
std::string decode(const std::vector<Decoder>& steps, std::vector<std::string> tokens);

}  // namespace headscope::tokenizer
