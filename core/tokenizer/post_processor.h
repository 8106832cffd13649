// Post-processors: the steps on the tokens of a text or a pair of texts: special tokens around
// them, the type of each, spaces excluded from offsets. Named as in tokenizer.json.
#pragma once

#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

/// A token of a text.
struct Token {
  TokenId id = 0;
  Span offsets;       // bytes of its text, of whole characters; empty for what was put around it
  int type = 0;       // 0 in the first text, 1 in the second, or as the template says
  int sequence = -1;  // its text, 0 or 1; −1: a special token around the texts

  bool operator==(const Token&) const = default;
};

/// Excludes white space at the ends of a token from its offsets.
struct TrimOffsets {
  bool addPrefixSpace = true;  // the first space was added and is not in the text
};

/// "[CLS] A [SEP] B [SEP]".
struct Template {
  struct Part {
    int sequence;              // 0: A, 1: B, −1: the tokens below
    int type;                  // of all its tokens
    std::vector<TokenId> ids;  // special tokens
  };
  std::vector<Part> single, pair;
};

using PostProcessor = std::variant<TrimOffsets, Template>;

/// Runs the steps on `texts`, the tokens of one text or of two, whose characters are `originals`.
/// `written` returns the spelling of a token in the text.
std::vector<Token> postProcess(const std::vector<PostProcessor>& steps,
                               const std::vector<std::string_view>& originals,
                               std::vector<std::vector<Token>> texts, bool addSpecial,
                               const std::function<std::string_view(const Token&)>& written);

}  // namespace headscope::tokenizer
