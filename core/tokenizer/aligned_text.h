// AlignedText: a text that is rewritten while each of its bytes keeps the place in the original
// that it came from, so that a token of the rewritten text has its offsets in the one that was
// typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/unicode.h"

namespace headscope::tokenizer {

/// Bytes from `begin` up to `end`.
struct Span {
  std::uint32_t begin = 0, end = 0;

  std::uint32_t size() const { return end - begin; }
  std::string_view of(std::string_view text) const { return text.substr(begin, size()); }
  bool operator==(const Span&) const = default;
};

/// `text` is UTF-8; origins[i] is the character of the original that byte i of it came from.
struct AlignedText {
  std::string text;
  std::vector<Span> origins;

  /// A part of the original, as it is. Throws nothing; `part` must be valid UTF-8.
  static AlignedText of(std::string_view original, Span part);

  /// Where a range of this text came from; of an empty one, nothing.
  Span origin(Span range) const;

  /// Another text: each character is as Rewritten says, and the first `skipped` characters of this
  /// one are gone.
  void rewrite(const std::vector<Rewritten>& characters);
  /// Every character's own rewriting; none: it is gone.
  void each(const std::function<void(std::int32_t, std::vector<Rewritten>&)>& characters);
  /// Without the characters that are not kept.
  void keep(const std::function<bool(std::int32_t)>& kept);
  /// Without what lies outside of the range.
  void crop(Span range);
  /// Before everything else; it comes from the first character. Not where there is none.
  void prepend(std::string_view what);
  /// What each range holds becomes `content`, which comes from the range's last character. The
  /// ranges are in order and do not overlap.
  void replace(const std::vector<Span>& ranges, std::string_view content);
  /// Adds a part of another to the end.
  void append(const AlignedText& other, Span range);
};

/// Bytes of the character that begins there.
std::uint32_t characterBytes(std::string_view text, std::size_t at);

}  // namespace headscope::tokenizer
