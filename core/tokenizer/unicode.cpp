#include "core/tokenizer/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "core/base/utf8.h"

namespace headscope::tokenizer {
namespace {

bool categoryIn(std::int32_t point, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(point);
  return category >= first && category <= last;
}

int combiningClass(std::int32_t point) { return utf8proc_get_property(point)->combining_class; }

constexpr std::int32_t kIWithDot = 0x130;  // the one letter whose lower case is two characters

/// Returns whether a character can be decomposed only since Unicode 12: Hugging Face's library,
/// whose tables (unicode-normalization-alignments 0.1) are older, leaves it as it is.
bool decomposedSince12(std::int32_t point) {
  struct Range {
    std::int32_t first, last;
  };
  static constexpr std::array<Range, 10> kRanges{{{0x32FF, 0x32FF},
                                                  {0xA7F2, 0xA7F4},
                                                  {0xAB69, 0xAB69},
                                                  {0x10781, 0x10785},
                                                  {0x10787, 0x107B0},
                                                  {0x107B2, 0x107BA},
                                                  {0x11938, 0x11938},
                                                  {0x1E030, 0x1E06D},
                                                  {0x1F16C, 0x1F16C},
                                                  {0x1FBF0, 0x1FBF9}}};
  return std::ranges::any_of(
      kRanges, [point](const Range& r) { return point >= r.first && point <= r.last; });
}

/// The composition of two characters, or −1 where there is none.
std::int32_t composed(std::int32_t first, std::int32_t second) {
  // One element more than two: utf8proc may write past the elements it was given.
  std::array<utf8proc_int32_t, 3> both{first, second, 0};
  const auto count = utf8proc_normalize_utf32(
      both.data(), 2, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  return count == 1 && !decomposedSince12(both[0]) ? both[0] : -1;
}

/// Decomposes characters and sorts the marks of each letter by combining class. The alignment stays
/// with the position when marks move.
std::vector<Rewritten> decomposed(std::string_view text, bool compatibility) {
  constexpr int kLongest = 32;  // U+FDFA becomes 18 characters
  int options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
  if (compatibility) options |= UTF8PROC_COMPAT;
  std::vector<Rewritten> all;
  all.reserve(text.size());
  std::size_t marksFrom = 0;
  const auto sortMarks = [&] {
    std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(marksFrom), all.end(),
                     [](const Rewritten& a, const Rewritten& b) {
                       return combiningClass(a.point) < combiningClass(b.point);
                     });
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = codePointAt(text, at);
    at += point.bytes;
    std::array<utf8proc_int32_t, kLongest> parts{};
    int boundary = 0;
    auto count = utf8proc_decompose_char(point.value, parts.data(), kLongest,
                                         static_cast<utf8proc_option_t>(options), &boundary);
    if (count < 1 || count > kLongest || decomposedSince12(point.value)) {
      parts[0] = point.value;
      count = 1;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (combiningClass(parts[i]) == 0) {
        sortMarks();
        marksFrom = all.size() + 1;
      }
      all.push_back({parts[i], i > 0 ? 1 : 0});
    }
  }
  sortMarks();
  return all;
}

/// Composes each letter with the marks after it that are not blocked.
std::vector<Rewritten> recomposed(const std::vector<Rewritten>& parts) {
  std::vector<Rewritten> all;
  all.reserve(parts.size());
  std::ptrdiff_t starter = -1;  // the newest letter in `all`
  int lastClass = -1;           // class of the latest mark after it, −1: none
  for (const Rewritten& part : parts) {
    const int own = combiningClass(part.point);
    if (starter >= 0 && lastClass < own) {
      Rewritten& letter = all[static_cast<std::size_t>(starter)];
      if (const std::int32_t one = composed(letter.point, part.point); one >= 0) {
        letter = {one, letter.change + part.change - 1};
        continue;
      }
    }
    if (own == 0) {
      starter = static_cast<std::ptrdiff_t>(all.size());
      lastClass = -1;
    } else {
      lastClass = own;
    }
    all.push_back(part);
  }
  return all;
}

}  // namespace

bool isWhiteSpace(std::int32_t point) {
  constexpr std::int32_t kNextLine = 0x85;
  return (point >= '\t' && point <= '\r') || point == kNextLine ||
         categoryIn(point, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP);
}

bool isPunctuation(std::int32_t point) {
  return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
         (point >= '[' && point <= '`') || (point >= '{' && point <= '~') ||
         categoryIn(point, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool isNumber(std::int32_t point) {
  return categoryIn(point, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool isMark(std::int32_t point) {
  return categoryIn(point, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool isNonspacingMark(std::int32_t point) {
  return utf8proc_category(point) == UTF8PROC_CATEGORY_MN;
}

bool isOther(std::int32_t point) {
  return categoryIn(point, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO);
}

bool isWord(std::int32_t point) {
  const utf8proc_category_t category = utf8proc_category(point);
  const auto within = [point](std::int32_t first, std::int32_t last) {
    return point >= first && point <= last;
  };
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC || within(0x200C, 0x200D) ||  // joiners
         within(0x24B6, 0x24E9) || within(0x1F130, 0x1F149) ||          // letters in circles
         within(0x1F150, 0x1F169) || within(0x1F170, 0x1F189);
}

std::vector<Rewritten> normalized(std::string_view text, NormalForm form) {
  const bool compatibility = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const bool composes = form == NormalForm::nfc || form == NormalForm::nfkc;
  const std::vector<Rewritten> parts = decomposed(text, compatibility);
  return composes ? recomposed(parts) : parts;
}

std::vector<Rewritten> lowerCase(std::int32_t point) {
  constexpr std::int32_t kDotAbove = 0x307;
  if (point == kIWithDot) return {{'i', 0}, {kDotAbove, 1}};
  return {{utf8proc_tolower(point), 0}};
}

}  // namespace headscope::tokenizer
