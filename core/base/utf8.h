// UTF-8: reads text code point by code point, on utf8proc; and cuts it for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

struct CodePoint {
  std::int32_t value = -1;  // −1 where the bytes are not UTF-8
  std::size_t bytes = 0;

  bool valid() const { return value >= 0; }
};

/// The code point that starts at `position`, which must lie within the text.
CodePoint codePointAt(std::string_view text, std::size_t position);

/// The bytes of a code point; none where there is no such one.
std::string utf8Of(char32_t codePoint);

/// Position of the first byte that is not UTF-8.
std::optional<std::size_t> invalidUtf8At(std::string_view text);

/// The first `most` bytes, for a message: no half character, and "?" for bytes that are not text.
std::string excerpt(std::string_view text, std::size_t most);

/// Without spaces, tabs and line ends at either end.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

}  // namespace headscope
