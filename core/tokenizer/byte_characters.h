// Byte characters: GPT-2 writes each byte of a text as one printed character, so that a vocabulary
// of bytes is a readable file: "Ġ" is the space. Radford et al. 2019, encoder.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tokenizer/aligned_text.h"

namespace headscope::tokenizer {

/// Adds a part of a text to another one so written; every byte keeps its origin.
void appendAsCharacters(const AlignedText& text, Span part, AlignedText& to);

/// The bytes that such characters stand for; nothing where one stands for none.
std::optional<std::string> bytesOfCharacters(std::string_view characters);

}  // namespace headscope::tokenizer
