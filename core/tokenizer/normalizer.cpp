#include "core/tokenizer/normalizer.h"

#include <algorithm>
#include <array>

#include "core/base/utf8.h"
#include "core/tokenizer/byte_characters.h"

namespace headscope::tokenizer {
namespace {

bool onlyAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void lowerCased(AlignedText& text) {
  text.each([](std::int32_t point, std::vector<Rewritten>& own) { own = lowerCase(point); });
}

bool isChinese(std::int32_t point) {
  using Range = std::array<std::int32_t, 2>;
  constexpr std::array<Range, 8> kRanges{{{0x4E00, 0x9FFF},
                                          {0x3400, 0x4DBF},
                                          {0x20000, 0x2A6DF},
                                          {0x2A700, 0x2B73F},
                                          {0x2B740, 0x2B81F},
                                          {0x2B920, 0x2CEAF},
                                          {0xF900, 0xFAFF},
                                          {0x2F800, 0x2FA1F}}};
  return std::any_of(kRanges.begin(), kRanges.end(), [point](const Range& range) {
    return point >= range[0] && point <= range[1];
  });
}

void cleaned(AlignedText& text) {
  constexpr std::int32_t kReplacement = 0xFFFD;
  text.each([](std::int32_t point, std::vector<Rewritten>& own) {
    const bool space =
        isWhiteSpace(point) && (point == '\t' || point == '\n' || point == '\r' || !isOther(point));
    if (space) {
      own.push_back({' ', 0});
    } else if (point != kReplacement && !isOther(point)) {
      own.push_back({point, 0});
    }
  });
}

struct Apply {
  AlignedText& text;

  void operator()(const UnicodeNormalizer& step) const {
    if (!onlyAscii(text.text)) text.rewrite(normalized(text.text, step.form));
  }
  void operator()(const LowercaseNormalizer&) const { lowerCased(text); }
  void operator()(const StripAccentsNormalizer&) const {
    text.keep([](std::int32_t point) { return !isMark(point); });
  }
  void operator()(const StripNormalizer& step) const {
    Span kept{0, static_cast<std::uint32_t>(text.text.size())};
    const auto spaceAt = [&](std::uint32_t at) {
      return isWhiteSpace(codePointAt(text.text, at).value);
    };
    while (step.left && kept.begin < kept.end && spaceAt(kept.begin)) {
      kept.begin += characterBytes(text.text, kept.begin);
    }
    while (step.right && kept.begin < kept.end) {
      std::uint32_t last = kept.end - 1;
      while ((static_cast<unsigned char>(text.text[last]) & 0xC0) == 0x80) --last;
      if (!spaceAt(last)) break;
      kept.end = last;
    }
    text.crop(kept);
  }
  void operator()(const PrependNormalizer& step) const { text.prepend(step.text); }
  void operator()(const ReplaceNormalizer& step) const {
    std::vector<Span> found;
    PatternSearch(step.pattern).in(text.text, found);
    text.replace(found, step.content);
  }
  void operator()(const BertNormalizer& step) const {
    if (step.cleanText) cleaned(text);
    if (step.chineseCharacters) {
      text.each([](std::int32_t point, std::vector<Rewritten>& own) {
        if (isChinese(point)) {
          own.insert(own.end(), {{' ', 0}, {point, 1}, {' ', 1}});
        } else {
          own.push_back({point, 0});
        }
      });
    }
    if (step.stripAccents.value_or(step.lowercase)) {
      (*this)(UnicodeNormalizer{NormalForm::nfd});
      text.keep([](std::int32_t point) { return !isNonspacingMark(point); });
    }
    if (step.lowercase) lowerCased(text);
  }
  void operator()(const Precompiled& step) const { step.normalize(text); }
  void operator()(const ByteLevelNormalizer&) const {
    AlignedText characters;
    appendAsCharacters(text, {0, static_cast<std::uint32_t>(text.text.size())}, characters);
    text = std::move(characters);
  }
};

}  // namespace

void normalize(const std::vector<Normalizer>& steps, AlignedText& text) {
  for (const Normalizer& step : steps) std::visit(Apply{text}, step);
}

}  // namespace headscope::tokenizer
