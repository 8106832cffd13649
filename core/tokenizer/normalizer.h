// Normalizers: the steps that rewrite a text before it is split, one after another. Named as in
// tokenizer.json (https://huggingface.co/docs/tokenizers, "Components").
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/pattern.h"
#include "core/tokenizer/precompiled.h"

namespace headscope::tokenizer {

struct UnicodeNormalizer {
  NormalForm form;
};
struct LowercaseNormalizer {};
/// Removes combining marks that are separate characters: NFD must come before it.
struct StripAccentsNormalizer {};
struct StripNormalizer {
  bool left = true, right = true;
};
struct PrependNormalizer {
  std::string text;
};
struct ReplaceNormalizer {
  Pattern pattern;
  std::string content;
};
/// Devlin et al. 2018, tokenization.py.
struct BertNormalizer {
  bool cleanText = true;             // no control characters, white space as " "
  bool chineseCharacters = true;     // each becomes a word
  std::optional<bool> stripAccents;  // unset: as `lowercase`
  bool lowercase = true;
};
/// Turns each byte into a character.
struct ByteLevelNormalizer {};

using Normalizer = std::variant<UnicodeNormalizer, LowercaseNormalizer, StripAccentsNormalizer,
                                StripNormalizer, PrependNormalizer, ReplaceNormalizer,
                                BertNormalizer, ByteLevelNormalizer, Precompiled>;

void normalize(const std::vector<Normalizer>& steps, AlignedText& text);

}  // namespace headscope::tokenizer
