// Piece: a token of a word, as the tokenizer's models give it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

/// A token of a word, and its bytes in the word.
struct Piece {
  TokenId id;
  Span span;

  bool operator==(const Piece&) const = default;
};

/// The token of a byte in a vocabulary with byte fallback: "<0x0A>".
std::string byteToken(unsigned char byte);
std::optional<unsigned char> byteOfToken(std::string_view token);

}  // namespace headscope::tokenizer
