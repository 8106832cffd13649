// Byte characters: GPT-2 writes each byte of a text as one printed character, so that a vocabulary
// of bytes is a readable file: "Ġ" is the space (Radford et al. 2019, encoder.py).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tokenizer/aligned_text.h"

namespace headscope::tokenizer {

/// The printed character of a byte.
const std::string& byteCharacter(unsigned char byte);

/// Appends a part of a text to another text as byte characters; every byte keeps its origin.
void appendAsCharacters(const AlignedText& text, Span part, AlignedText& to);

/// The bytes of a text of byte characters; nothing where it holds any other character.
std::optional<std::string> bytesOfCharacters(std::string_view characters);

}  // namespace headscope::tokenizer
