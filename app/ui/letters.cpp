#include "app/ui/letters.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#ifdef HEADSCOPE_FRIBIDI
#include <fribidi.h>
#endif

namespace headscope::ui {
namespace {

constexpr char32_t kBroken = 0xFFFD;

std::u32string decoded(std::string_view text) {
  std::u32string letters;
  letters.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t letter = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, left, &letter);
    letters += length > 0 ? static_cast<char32_t>(letter) : kBroken;
    const utf8proc_ssize_t step = std::max<utf8proc_ssize_t>(length, 1);
    bytes += step;
    left -= step;
  }
  return letters;
}

void append(std::string& text, char32_t letter) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(letter), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

/// Returns whether a font has a letter. From 1.92 on, ImGui draws a letter into the atlas on
/// request.
bool hasGlyph(const ImFont* font, char32_t letter) {
  return letter <= std::numeric_limits<ImWchar>::max() &&
         const_cast<ImFont*>(font)->FindGlyphNoFallback(static_cast<ImWchar>(letter)) != nullptr;
}

/// Returns whether a text has only Latin, Greek, Cyrillic and the interface's symbols, which the
/// initial fonts have. Most texts do; this is found without decoding.
bool isPlain(const ImFont* font, std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (byte(i) < 0xC6 || (byte(i) >= 0xCE && byte(i) < 0xD1)) continue;  // to U+017F, 0380 … 043F
    if (byte(i) == 0xD1 && i + 1 < text.size() && byte(i + 1) < 0xA0) continue;  // to U+045F
    if (byte(i) != 0xE2 || i + 2 >= text.size()) return false;                   // symbols
    const char32_t symbol = 0x2000U | (byte(i + 1) & 0x3FU) << 6U | (byte(i + 2) & 0x3FU);
    if (!hasGlyph(font, symbol)) return false;
    i += 2;
  }
  return true;
}

/// Returns whether a letter is invisible: a format control or a variation selector.
bool isInvisible(char32_t letter) {
  return letter == 0xFEFF || (letter >= 0xFE00 && letter <= 0xFE0F) ||
         (letter >= 0x20 &&
          utf8proc_category(static_cast<utf8proc_int32_t>(letter)) == UTF8PROC_CATEGORY_CF);
}

#ifdef HEADSCOPE_FRIBIDI

/// Returns whether a letter runs from right to left. clings() also takes marks on such a letter.
bool runsLeft(char32_t letter) {
  return FRIBIDI_IS_RTL(fribidi_get_bidi_type(static_cast<FriBidiChar>(letter)));
}
bool clings(char32_t letter) {
  return runsLeft(letter) ||
         fribidi_get_bidi_type(static_cast<FriBidiChar>(letter)) == FRIBIDI_TYPE_NSM;
}

/// The end of the right-to-left words that begin at `start`. A space belongs to them where it
/// stands between two.
std::size_t endOfWords(const std::u32string& line, std::size_t start) {
  std::size_t end = start + 1;
  for (std::size_t at = end; at < line.size(); ++at) {
    if (clings(line[at])) {
      end = at + 1;
    } else if (line[at] != U' ') {
      break;
    }
  }
  return end;
}

/// Turns words from right to left round, each run of them by itself: the sentence around them is
/// ours, and its numbers and marks stay where they are. Arabic letters get the form that their
/// neighbours give.
std::u32string inVisualOrder(std::u32string line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!runsLeft(line[at])) continue;
    const std::size_t end = endOfWords(line, at);
    const std::vector<FriBidiChar> logical(line.begin() + static_cast<std::ptrdiff_t>(at),
                                           line.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<FriBidiChar> visual(logical.size());
    FriBidiParType direction = FRIBIDI_PAR_RTL;
    if (fribidi_log2vis(logical.data(), static_cast<FriBidiStrIndex>(logical.size()), &direction,
                        visual.data(), nullptr, nullptr, nullptr) != 0) {
      std::ranges::copy(visual, line.begin() + static_cast<std::ptrdiff_t>(at));
    }
    at = end - 1;
  }
  return line;
}

#else

std::u32string inVisualOrder(std::u32string line) { return line; }

#endif

}  // namespace

bool Letters::has(const ImFont* font, char32_t letter) {
  if (hasGlyph(font, letter)) return true;
  if (letter <= std::numeric_limits<ImWchar>::max() && wanted_.size() < kMost &&
      wanted_.insert(letter).second)
    new_ = true;
  return false;
}

std::string_view Letters::drawn(const ImFont* font, std::string_view text, std::string& room) {
  if (isPlain(font, text)) return text;
  room.clear();
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    for (const char32_t letter : inVisualOrder(decoded(text.substr(start, end - start)))) {
      if (isInvisible(letter)) continue;
      if (letter < 0x80 || has(font, letter)) {
        append(room, letter);
      } else {
        room += fmt::format("U+{:04X}", static_cast<std::uint32_t>(letter));
      }
    }
    if (end == text.size()) return room;
    room += '\n';
    start = end + 1;
  }
}

void Letters::want(const ImFont* font, std::string_view text) {
  if (isPlain(font, text)) return;
  for (const char32_t letter : decoded(text)) {
    if (letter >= 0x80 && !isInvisible(letter)) has(font, letter);
  }
}

bool Letters::takeNew() { return std::exchange(new_, false); }

const ImWchar* Letters::ranges() {
  ranges_.clear();
  for (const char32_t letter : wanted_) {
    ranges_.insert(ranges_.end(), 2, static_cast<ImWchar>(letter));
  }
  ranges_.push_back(0);
  return ranges_.data();
}

std::string_view asDrawn(const ImFont* font, std::string_view text, std::string& room) {
  Letters* letters = Letters::current();
  return letters != nullptr ? letters->drawn(font, text, room) : text;
}

std::string asLabel(std::string_view text) {
  std::string room;
  return fmt::format("{}###{}", asDrawn(ImGui::GetFont(), text, room), text);
}

}  // namespace headscope::ui
