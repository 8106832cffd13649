#include "core/tokenizer/precompiled.h"

#include <utf8proc.h>

#include <bit>
#include <cstring>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/tokenizer/unicode.h"

namespace headscope::tokenizer {
namespace {

/// A unit of the double array: where the units of the next characters are, the character that leads
/// here, and whether a text ends here (darts.h of Darts-clone).
struct Unit {
  std::uint32_t bits;

  bool hasLeaf() const { return (bits >> 8 & 1U) == 1; }
  std::uint32_t value() const { return bits & 0x7FFFFFFFU; }
  std::uint32_t label() const { return bits & (std::uint32_t{1} << 31 | 0xFFU); }
  std::uint32_t offset() const { return (bits >> 10) << ((bits & (1U << 9)) >> 6); }
};

std::size_t charactersOf(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += characterBytes(text, at)) ++count;
  return count;
}

/// Appends `now` in place of the characters `before`, aligned as the Rust library aligns them.
void replace(std::string_view before, std::string_view now, std::vector<Rewritten>& out) {
  const std::size_t first = out.size();
  for (std::size_t at = 0; at < now.size(); at += characterBytes(now, at)) {
    out.push_back({codePointAt(now, at).value, 0});
  }
  const auto more = static_cast<std::ptrdiff_t>(out.size() - first) -
                    static_cast<std::ptrdiff_t>(charactersOf(before));
  for (std::ptrdiff_t i = 0; i < more; ++i) out[out.size() - 1 - std::size_t(i)].change = 1;
  if (more < 0 && !out.empty()) out.back().change += static_cast<int>(more);
}

}  // namespace

Precompiled::Precompiled(std::string_view charsmap) {
  static_assert(std::endian::native == std::endian::little, "the trie is little-endian");
  auto rules = std::make_shared<Rules>();
  std::uint32_t bytes = 0;
  if (charsmap.size() < sizeof bytes) throw UserError("the normalization rules are cut short");
  std::memcpy(&bytes, charsmap.data(), sizeof bytes);
  charsmap.remove_prefix(sizeof bytes);
  if (bytes > charsmap.size() || bytes % sizeof(std::uint32_t) != 0 || bytes == 0) {
    throw UserError("the normalization rules are cut short");
  }
  rules->trie.resize(bytes / sizeof(std::uint32_t));
  std::memcpy(rules->trie.data(), charsmap.data(), bytes);
  rules->texts = charsmap.substr(bytes);
  if (invalidUtf8At(rules->texts)) throw UserError("the normalization rules are no UTF-8");
  rules_ = std::move(rules);
}

/// The replacement of the shortest text in the trie that `text` begins with.
std::optional<std::string_view> Precompiled::replacement(std::string_view text) const {
  const std::vector<std::uint32_t>& trie = rules_->trie;
  std::size_t at = Unit{trie[0]}.offset();
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return std::nullopt;
    at ^= byte;
    if (at >= trie.size()) return std::nullopt;
    const Unit unit{trie[at]};
    if (unit.label() != byte) return std::nullopt;
    at ^= unit.offset();
    if (at >= trie.size()) return std::nullopt;
    if (!unit.hasLeaf()) continue;
    const std::string_view texts = rules_->texts;
    const std::uint32_t from = Unit{trie[at]}.value();
    if (from >= texts.size()) return std::nullopt;
    const std::size_t end = std::min(texts.find('\0', from), texts.size());
    // a damaged offset may point into a character
    const std::string_view found = texts.substr(from, end - from);
    return invalidUtf8At(found) ? std::nullopt : std::optional(found);
  }
  return std::nullopt;
}

void Precompiled::normalize(AlignedText& text) const {
  constexpr std::size_t kMostGrapheme = 5;  // bytes; longer ones are replaced by character
  std::vector<Rewritten> out;
  const std::string_view whole = text.text;
  const auto byCharacter = [&](std::string_view part) {
    for (std::size_t at = 0; at < part.size(); at += characterBytes(part, at)) {
      const std::string_view one = part.substr(at, characterBytes(part, at));
      if (const auto now = replacement(one)) {
        replace(one, *now, out);
      } else {
        out.push_back({codePointAt(one, 0).value, 0});
      }
    }
  };
  utf8proc_int32_t state = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; begin < whole.size(); begin = end) {
    std::int32_t before = codePointAt(whole, begin).value;
    end = begin + characterBytes(whole, begin);
    while (end < whole.size()) {
      const std::int32_t next = codePointAt(whole, end).value;
      if (utf8proc_grapheme_break_stateful(before, next, &state)) break;
      before = next;
      end += characterBytes(whole, end);
    }
    const std::string_view grapheme = whole.substr(begin, end - begin);
    const auto now = grapheme.size() <= kMostGrapheme ? replacement(grapheme) : std::nullopt;
    if (now) {
      replace(grapheme, *now, out);
    } else {
      byCharacter(grapheme);
    }
  }
  text.rewrite(out);
}

std::string fromBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) throw UserError("it is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

}  // namespace headscope::tokenizer
