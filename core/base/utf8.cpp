#include "core/base/utf8.h"

#include <utf8proc.h>

#include <array>

namespace headscope {

CodePoint codePointAt(std::string_view text, std::size_t position) {
  utf8proc_int32_t value = -1;
  const auto bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + position),
                       static_cast<utf8proc_ssize_t>(text.size() - position), &value);
  if (bytes <= 0) return {};
  return {value, static_cast<std::size_t>(bytes)};
}

std::string utf8Of(char32_t codePoint) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes.data());
  return {bytes.begin(), bytes.begin() + count};
}

std::optional<std::size_t> invalidUtf8At(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint point = codePointAt(text, position);
    if (!point.valid()) return position;
    position += point.bytes;
  }
  return std::nullopt;
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (out.size() >= most) return out + "…";
    const CodePoint point = codePointAt(text, at);
    const std::size_t bytes = point.valid() ? point.bytes : 1;
    out += point.valid() ? text.substr(at, bytes) : "?";
    at += bytes;
  }
  return out;
}

}  // namespace headscope
