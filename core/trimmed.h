// Trimmed: a text without the white space around it.
#pragma once

#include <string_view>

namespace headscope {

/// Without spaces, tabs and line ends at either end.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

}  // namespace headscope
