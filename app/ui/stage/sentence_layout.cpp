#include "app/ui/stage/sentence_layout.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/words/cells.h"

namespace headscope::ui {
namespace {

// In heights of the letters:
constexpr float kGap = 0.14F;         // between the frames of two words
constexpr float kGapToMark = -0.16F;  // … of a word and the mark that closes it
constexpr float kPad = 0.14F;         // at both sides of a word, within its frame
constexpr float kWordHeight = 1.28F;  // of the frame around a word
constexpr float kArcsOfLine = 1.7F;   // room for arcs above a line of several
constexpr float kMostArcsOfLine = 2.0F;
constexpr float kArcsOfOneLine = 7.0F;
constexpr float kLeastArcs = 0.25F;  // above a line without arcs

constexpr float kEnoughForOneLine = 0.55F;  // of the letters that several lines would have
constexpr float kShrink = 0.94F;

struct Line {
  std::size_t first = 0, end = 0;
  float width = 0.0F;
};

float gapBefore(const WordWidth& word) { return word.closes ? kGapToMark : kGap; }

/// Breaks the words into lines of at most `width`, a multiple of the letters' height.
std::vector<Line> linesOf(std::span<const WordWidth> words, float width) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float own = words[i].width + 2.0F * kPad;
    const bool fits = !lines.empty() && lines.back().width + gapBefore(words[i]) + own <= width;
    // a closing mark stays with its word
    if (fits || (!lines.empty() && words[i].closes)) {
      lines.back().width += gapBefore(words[i]) + own;
      lines.back().end = i + 1;
    } else {
      lines.push_back({i, i + 1, own});
    }
  }
  return lines;
}

SentenceLayout marksIn(std::size_t count, const SentenceSpace& space) {
  SentenceLayout layout;
  const float each = space.room.width() / static_cast<float>(count);
  const float height = std::min(space.smallest * 1.5F, space.room.height() * 0.1F);
  const float bottom = space.room.b.y - space.below;
  layout.below = space.below;
  layout.arcRoom = std::max(0.0F, bottom - height - space.room.a.y);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = space.room.a.x + each * static_cast<float>(i);
    layout.words.push_back({{x, bottom - height}, {x + each, bottom}});
  }
  return layout;
}

/// A way to set the words: the height of the letters, and the lines.
struct Setting {
  float letters = 0.0F;  // 0: they do not fit
  std::vector<Line> lines;
};

float widestOf(const std::vector<Line>& lines) {
  return std::max_element(lines.begin(), lines.end(),
                          [](const Line& a, const Line& b) { return a.width < b.width; })
      ->width;
}

/// The height that a line needs, in letters of this height.
float pitchOf(const SentenceSpace& space, float letters, bool one) {
  return (kWordHeight + (space.arcs ? kArcsOfLine : kLeastArcs)) * letters +
         (one ? space.below : space.belowEach);
}

/// The lines that begin with the given words.
std::vector<Line> givenLines(std::span<const WordWidth> words,
                             std::span<const std::size_t> firstWords) {
  std::vector<Line> lines;
  for (std::size_t line = 0; line < firstWords.size(); ++line) {
    const std::size_t first = firstWords[line];
    const std::size_t end = line + 1 < firstWords.size() ? firstWords[line + 1] : words.size();
    const std::vector<Line> one =
        linesOf(words.subspan(first, end - first), std::numeric_limits<float>::max());
    lines.push_back({first, end, one.front().width});
  }
  return lines;
}

/// Returns the largest letters with which the words fit into at most `most` lines.
Setting largestSetting(std::span<const WordWidth> words, const SentenceSpace& space,
                       std::size_t most) {
  const std::vector<Line> given = givenLines(words, space.lines);
  for (float size = space.largest; size >= space.smallest; size *= kShrink) {
    std::vector<Line> lines = given.empty() ? linesOf(words, space.room.width() / size) : given;
    const auto count = static_cast<float>(lines.size());
    const float height = pitchOf(space, size, lines.size() == 1) * count;
    if (lines.size() > most || widestOf(lines) * size > space.room.width() ||
        height > space.room.height()) {
      continue;
    }
    return {size, std::move(lines)};
  }
  return {};
}

/// Breaks the words into as many lines, as even as possible.
void even(std::span<const WordWidth> words, Setting& setting) {
  for (float width = widestOf(setting.lines); width > 0.0F; width -= 0.5F) {
    std::vector<Line> lines = linesOf(words, width);
    if (lines.size() > setting.lines.size() || widestOf(lines) > width) return;
    setting.lines = std::move(lines);
  }
}

}  // namespace

ImVec2 mix(ImVec2 a, ImVec2 b, float share) {
  return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

Rect mix(const Rect& a, const Rect& b, float share) {
  return {mix(a.a, b.a, share), mix(a.b, b.b, share)};
}

std::vector<std::size_t> SentenceLayout::firstWords() const {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < words.size() && !marks(); ++i) {
    if (i == 0 || !sameLine(i - 1, i)) first.push_back(i);
  }
  return first;
}

int SentenceLayout::at(ImVec2 point) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].contains(point)) return static_cast<int>(i);
  }
  return -1;
}

int SentenceLayout::gapAt(ImVec2 point) const {
  float nearest = std::numeric_limits<float>::max();
  int gap = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Rect& word = words[i];
    const float down = std::abs(point.y - word.centre().y) * 4.0F;  // the line matters most
    const auto consider = [&](float x, int place) {
      const float away = std::abs(point.x - x) + down;
      if (away >= nearest) return;
      nearest = away;
      gap = place;
    };
    consider(word.a.x, static_cast<int>(i));
    consider(word.b.x, static_cast<int>(i) + 1);
  }
  return gap;
}

SentenceLayout layoutSentence(std::span<const WordWidth> words, const SentenceSpace& space) {
  if (words.empty()) return {};
  Setting setting = largestSetting(words, space, words.size());
  if (space.lines.empty()) {
    const Setting one = largestSetting(words, space, 1);
    if (one.letters >= kEnoughForOneLine * setting.letters) setting = one;
    if (setting.lines.size() > 1) even(words, setting);
  } else if (setting.lines.empty()) {
    SentenceSpace free = space;
    free.lines.clear();
    return layoutSentence(words, free);
  }
  if (setting.lines.empty()) return marksIn(words.size(), space);
  const float size = setting.letters;
  const auto count = static_cast<float>(setting.lines.size());
  const bool single = setting.lines.size() == 1;
  SentenceLayout layout;
  layout.letters = size;
  layout.lines = static_cast<int>(setting.lines.size());
  layout.below = single ? space.below : space.belowEach;
  const float pitch = pitchOf(space, size, single);
  const float least = (space.arcs ? kArcsOfLine : kLeastArcs) * size;
  const float most = !space.arcs ? least : (single ? kArcsOfOneLine : kMostArcsOfLine) * size;
  layout.arcRoom = std::min(most, least + space.room.height() / count - pitch);
  const float used = (pitch - least + layout.arcRoom) * count;
  float y = space.room.a.y + (space.room.height() - used) * 0.5F;
  for (const Line& line : setting.lines) {
    y += layout.arcRoom;
    float x = space.room.centre().x - line.width * size * 0.5F;
    for (std::size_t i = line.first; i < line.end; ++i) {
      if (i > line.first) x += gapBefore(words[i]) * size;
      const float width = (words[i].width + 2.0F * kPad) * size;
      layout.words.push_back(Rect::at({x, y}, {width, kWordHeight * size}));
      x += width;
    }
    y += kWordHeight * size + layout.below;
  }
  return layout;
}

SentenceLayout between(const SentenceLayout& from, const SentenceLayout& to, float share) {
  if (share >= 1.0F || from.words.size() != to.words.size() || from.marks() != to.marks())
    return to;
  SentenceLayout layout = to;
  const auto mixed = [share](float a, float b) { return a + (b - a) * share; };
  layout.letters = mixed(from.letters, to.letters);
  layout.arcRoom = mixed(from.arcRoom, to.arcRoom);
  layout.below = mixed(from.below, to.below);
  layout.picture = mix(from.picture, to.picture, share);
  for (std::size_t i = 0; i < to.words.size(); ++i) {
    layout.words[i] = mix(from.words[i], to.words[i], share);
  }
  return layout;
}

std::string_view stageWord(std::string_view token) {
  const std::string_view shown = shownToken(token);
  std::string_view word = shown;
  for (const std::string_view mark : {"\u2581", "·"}) {
    while (word.starts_with(mark)) word.remove_prefix(mark.size());
  }
  return word.empty() && !shown.empty() ? "·" : word;
}

bool isClosingMark(std::string_view token) {
  constexpr std::string_view kClosing[] = {",", ".", ";", ":",  "!",  "?",  ")",
                                           "]", "…", "”", "’s", "'s", "n't"};
  return std::find(std::begin(kClosing), std::end(kClosing), token) != std::end(kClosing);
}

bool isWord(std::string_view token) {
  const bool bracketed = token.size() > 2 && ((token.front() == '<' && token.back() == '>') ||
                                              (token.front() == '[' && token.back() == ']'));
  return !bracketed && !isClosingMark(token) && token != "·" &&
         std::any_of(token.begin(), token.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte >= 0x80 || std::isalnum(byte) != 0;
         });
}

}  // namespace headscope::ui
