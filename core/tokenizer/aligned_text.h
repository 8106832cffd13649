// AlignedText: a text that is rewritten while each of its bytes keeps its origin in the typed text,
// so that the tokens of the rewritten text have offsets in the typed one.
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

  /// Returns a part of the original, unchanged. `part` must be valid UTF-8. Does not throw.
  static AlignedText of(std::string_view original, Span part);

  /// The origin of a range of this text; empty for an empty range.
  Span origin(Span range) const;

  /// Replaces the text by `characters`, each aligned as Rewritten says.
  void rewrite(const std::vector<Rewritten>& characters);
  /// Rewrites every character by a function that appends its replacement. A character without a
  /// replacement is removed.
  void each(const std::function<void(std::int32_t, std::vector<Rewritten>&)>& characters);
  /// Removes the characters that are not kept.
  void keep(const std::function<bool(std::int32_t)>& kept);
  /// Removes everything outside the range.
  void crop(Span range);
  /// Inserts a text at the start; its origin is the first character. Does nothing where the text is
  /// empty.
  void prepend(std::string_view what);
  /// Replaces each range by `content`. Its characters come one by one from those of a range that
  /// has as many, and otherwise from the range's last one. The ranges are in order and do not
  /// overlap.
  void replace(const std::vector<Span>& ranges, std::string_view content);
  /// Appends a part of another text.
  void append(const AlignedText& other, Span range);
};

/// The number of bytes of the character that begins at `at`.
std::uint32_t characterBytes(std::string_view text, std::size_t at);

}  // namespace headscope::tokenizer
