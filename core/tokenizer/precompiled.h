// Precompiled: SentencePiece's own normalization rules, as its files keep them: a trie of the texts
// that are replaced (a double array, Yata 2007) and their replacements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/aligned_text.h"

namespace headscope::tokenizer {

class Precompiled {
 public:
  /// `charsmap`: the bytes of precompiled_charsmap. Throws UserError for damaged ones.
  explicit Precompiled(std::string_view charsmap);

  /// Rewrites the text, one grapheme after another.
  void normalize(AlignedText& text) const;

 private:
  std::optional<std::string_view> replacement(std::string_view text) const;

  struct Rules {
    std::vector<std::uint32_t> trie;
    std::string texts;  // the replacements, each ended by 0
  };
  std::shared_ptr<const Rules> rules_;
};

/// Decodes base64. Throws UserError for characters that are not of it.
std::string fromBase64(std::string_view text);

}  // namespace headscope::tokenizer
