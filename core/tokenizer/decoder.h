// Decoders: how a tokeniser makes text of tokens again, one step after another. Named as in
// tokenizer.json.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizer/pattern.h"

namespace headscope::tokenizer {

/// Characters become the bytes they stand for; what is no UTF-8 becomes U+FFFD.
struct ByteLevelDecoder {};
/// "##ing" goes on, everything else begins with a space.
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
  bool dropsFirst = true;  // at the start of the text it was put there
};
/// "<0xE2>" becomes that byte.
struct ByteFallbackDecoder {};
/// All tokens as one.
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

/// Without steps the tokens stand beside each other with spaces between.
std::string decode(const std::vector<Decoder>& steps, std::vector<std::string> tokens);

}  // namespace headscope::tokenizer
