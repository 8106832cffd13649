// Tokens are words (letters, marks, digits, apostrophes inside) and single punctuation marks or
// symbols; white space and control characters separate them.
#include <fmt/format.h>
#include <utf8proc.h>

#include "core/error.h"
#include "core/input/input.h"
#include "core/input/utf8.h"

namespace headscope {
namespace {

enum class Kind { letter, mark, apostrophe, symbol, separator, ignored };

Kind kindOf(std::int32_t codePoint) {
  if (codePoint == U'\'' || codePoint == U'\u2019') return Kind::apostrophe;
  switch (utf8proc_category(codePoint)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Kind::mark;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return Kind::separator;
    case UTF8PROC_CATEGORY_CF:  // soft hyphen, byte order mark, joiners: they show nothing
      return Kind::ignored;
    default:
      return Kind::symbol;
  }
}

bool letterAt(const std::string& text, std::size_t position) {
  return position < text.size() && kindOf(codePointAt(text, position).value) == Kind::letter;
}

void checkText(const std::string& text, const std::string& what) {
  if (text.size() > kMaxTextBytes) {
    throw UserError(fmt::format("{} has {:.1f} MB; at most 1 MB is taken, so shorten it", what,
                                static_cast<double>(text.size()) / (1 << 20)));
  }
  if (const auto position = invalidUtf8At(text)) {
    throw UserError(
        fmt::format("{} is not UTF-8: byte {} cannot be read; save it as UTF-8", what, *position));
  }
}

}  // namespace

std::vector<std::string> tokenize(const std::string& text, const std::string& what) {
  checkText(text, what);
  std::vector<std::string> tokens;
  Kind previous = Kind::separator;  // what the newest token ends with
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint point = codePointAt(text, position);
    const std::string_view bytes(text.data() + position, point.bytes);
    position += point.bytes;
    Kind kind = kindOf(point.value);
    if (kind == Kind::ignored) continue;
    if (kind == Kind::apostrophe) {
      const bool inside = previous == Kind::letter && letterAt(text, position);
      kind = inside ? Kind::letter : Kind::symbol;
    }
    const bool continues = (kind == Kind::letter && previous == Kind::letter) ||
                           (kind == Kind::mark && previous != Kind::separator);
    if (continues) {
      tokens.back() += bytes;
      continue;  // a mark leaves its token what it was, a word or a symbol
    }
    if (kind != Kind::separator) tokens.emplace_back(bytes);
    previous = kind == Kind::mark ? Kind::letter : kind;
  }
  if (tokens.empty()) {
    throw UserError(fmt::format("{} is empty; give it at least one word", what));
  }
  return tokens;
}

std::string lowerCased(const std::string& token) {
  std::string lower;
  lower.reserve(token.size());
  for (std::size_t position = 0; position < token.size();) {
    const CodePoint point = codePointAt(token, position);
    if (!point.valid()) {
      lower += token[position++];
      continue;
    }
    position += point.bytes;
    utf8proc_uint8_t bytes[4];
    const auto count = utf8proc_encode_char(utf8proc_tolower(point.value), bytes);
    lower.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  }
  return lower;
}

}  // namespace headscope
