// Unicode: the character classes by which tokenisers split texts, and the normal forms, with the
// alignment of each character. Code points are classified by utf8proc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace headscope::tokenizer {

bool isWhiteSpace(std::int32_t point);   // Unicode's White_Space
bool isPunctuation(std::int32_t point);  // P*, and every mark of ASCII: "$", "+", "<", …
bool isNumber(std::int32_t point);       // Nd, Nl, No
bool isMark(std::int32_t point);         // Mn, Mc, Me
bool isNonspacingMark(std::int32_t point);
bool isOther(std::int32_t point);  // control, format, private, surrogate; as the Rust library, not
                                   // what is unassigned
bool isWord(std::int32_t point);   // \w of Unicode TR 18: letters, marks, digits, joiners, "_" …

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// A character of a rewritten text. `change` 0: it replaces one character; 1: it is inserted; −n:
/// it replaces n + 1 characters.
struct Rewritten {
  std::int32_t point;
  int change;
};

/// UTF-8 in a normal form (Unicode TR 15). The text must be valid.
std::vector<Rewritten> normalized(std::string_view text, NormalForm form);

/// The lower case of one character, without its context: one code point, or the two of "İ".
std::vector<Rewritten> lowerCase(std::int32_t point);

}  // namespace headscope::tokenizer
