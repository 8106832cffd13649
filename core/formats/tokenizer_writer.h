// Tokenizer writer: the contents of tokenizer.json for tokenizers that this program makes. Hugging
// Face's tokenizers library opens them. All put the token kBeginToken, whose id is 0, before a
// text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/tokenizer/bpe_learning.h"

namespace headscope::formats {

/// Reads the words of stories in text as people write it: capitals are kept for names only, and
/// marks are words of their own.
Json storyTokenizer();

/// Each of these words is a token, with the space before it ("Ġthe", in byte characters); all other
/// text is cut into bytes.
Json wordTokenizer(std::span<const std::string> words);

/// GPT-2's kind: byte pairs, joined in the order of these merges.
Json bytePairTokenizer(std::span<const tokenizer::LearnedMerge> merges);

/// Each of these characters is a token; any other is kUnknownToken.
Json characterTokenizer(std::span<const std::string> characters);

}  // namespace headscope::formats
