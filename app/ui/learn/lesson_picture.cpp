#include "app/ui/learn/lesson_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "app/ui/stage/sentence_drawing.h"

namespace headscope::ui {
namespace {

constexpr int kWords = 6;
constexpr int kHeads = 4;

/// A drawing in a rectangle, from the strokes that all of them share.
class Sketch {
 public:
  Sketch(const FrameContext& look, ImDrawList* list, const Rect& at)
      : look_(look), list_(list), at_(at) {}

  ImU32 head(int h) const { return headColor(look_.theme, static_cast<std::size_t>(h)); }
  ImU32 ink() const { return withAlpha(look_.theme.textMuted, 0.65F); }
  ImU32 accent() const { return look_.theme.accent; }
  const Rect& at() const { return at_; }
  float px(float length) const { return look_.px(length); }

  /// A row of words as marks.
  SentenceLayout words(const Rect& room, int count = kWords) const {
    SentenceSpace space{room};
    space.largest = 0.0F;
    space.smallest = look_.px(8);
    return layoutSentence(std::vector<WordWidth>(static_cast<std::size_t>(count)), space);
  }
  void dots(const SentenceLayout& words, int chosen = -1, ImU32 color = 0) const {
    for (std::size_t i = 0; i < words.words.size(); ++i) {
      const bool lit = static_cast<int>(i) == chosen;
      list_->AddCircleFilled(words.words[i].centre(), look_.px(lit ? 4.5F : 3.0F),
                             lit ? color : ink());
    }
  }
  void arcs(const SentenceLayout& words, std::vector<Arc> arcs, ImU32 color) const {
    for (Arc& arc : arcs) arc.thickness = look_.px(arc.thickness);
    drawArcs(look_, list_, words, words, arcs, color);
  }
  void block(const Rect& at, ImU32 color) const {
    list_->AddRectFilled(at.a, at.b, color, look_.px(2));
  }
  void line(ImVec2 from, ImVec2 to, ImU32 color, float width = 1.5F) const {
    list_->AddLine(from, to, color, look_.px(width));
  }
  /// A matrix whose cells have these shades, 0 … 1; below 0: left out.
  template <typename Shade>
  void matrix(const Rect& room, int rows, int columns, ImU32 color, Shade&& shade) const {
    const float side = std::min(room.width() / static_cast<float>(columns),
                                room.height() / static_cast<float>(rows));
    const Rect all =
        room.placed({side * static_cast<float>(columns), side * static_cast<float>(rows)});
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        const float value = shade(i, j);
        const Rect cell = all.row(i, rows, look_.space.hair).column(j, columns, look_.space.hair);
        if (value >= 0.0F) block(cell, withAlpha(color, 0.12F + 0.88F * value));
      }
    }
  }
  /// Bars of these heights, 0 … 1, in one row.
  void bars(const Rect& room, std::span<const float> heights, ImU32 color) const {
    const auto count = static_cast<int>(heights.size());
    for (int i = 0; i < count; ++i) {
      Rect bar = room.column(i, count, look_.space.thin);
      bar.a.y = bar.b.y - bar.height() * heights[static_cast<std::size_t>(i)];
      block(bar, color);
    }
  }
  /// One bar cut into the heads' shares.
  void cut(const Rect& room, float gap) const {
    for (int h = 0; h < kHeads; ++h) block(room.column(h, kHeads, look_.px(gap)), head(h));
  }
  void curve(const Rect& room, std::span<const float> heights, ImU32 color) const {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < heights.size(); ++i) {
      const float share = static_cast<float>(i) / static_cast<float>(heights.size() - 1);
      points.push_back({room.a.x + room.width() * share, room.b.y - room.height() * heights[i]});
    }
    list_->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, look_.px(2));
  }

 private:
  const FrameContext& look_;
  ImDrawList* list_;
  Rect at_;
};

using Draw = void (*)(const Sketch&);
struct Drawing {
  std::string_view name;
  Draw draw;
};

void oneWordAsks(const Sketch& s) {
  const auto words = s.words(s.at());
  s.arcs(words, {{4, 1, 4.0F, 0.9F}, {4, 3, 1.5F, 0.5F}, {4, 5, 1.0F, 0.35F}}, s.head(1));
  s.dots(words, 4, s.head(1));
}

void byHand(const Sketch& s) {
  const auto shade = [](int i, int j) { return static_cast<float>((i * 2 + j * 3) % 4) * 0.3F; };
  s.matrix(s.at().column(0, 3, s.px(8)), 3, 4, s.head(0), shade);
  s.matrix(s.at().column(1, 3, s.px(8)), 4, 2, s.head(1), shade);
  s.matrix(s.at().column(2, 3, s.px(8)), 3, 2, s.accent(), shade);
}

void twoJobs(const Sketch& s) {
  const auto words = s.words(s.at());
  s.arcs(words, {{4, 3, 3.0F, 0.9F}}, s.head(0));
  s.arcs(words, {{4, 1, 3.0F, 0.9F}}, s.head(1));
  s.dots(words, 4, s.accent());
}

void split(const Sketch& s) {
  Rect room = s.at();
  const Rect whole = room.cutTop(room.height() * 0.3F);
  s.cut(whole, 0.0F);
  for (int h = 0; h < kHeads; ++h) {
    const float x = room.column(h, kHeads, s.px(10)).centre().x;
    s.line({whole.column(h, kHeads, s.px(0)).centre().x, whole.b.y},
           {x, room.b.y - room.height() * 0.5F}, s.ink(), 1.0F);
  }
  s.cut(room.cutBottom(room.height() * 0.5F), 10.0F);
}

void divide(const Sketch& s) {
  constexpr std::array<float, 5> kPeak{0.03F, 0.04F, 1.0F, 0.03F, 0.05F};
  constexpr std::array<float, 5> kSoft{0.25F, 0.4F, 0.85F, 0.5F, 0.3F};
  s.bars(s.at().column(0, 2, s.px(18)), kPeak, s.ink());
  s.bars(s.at().column(1, 2, s.px(18)), kSoft, s.accent());
}

void mixed(const Sketch& s) {
  Rect room = s.at();
  const Rect top = room.cutTop(room.height() * 0.22F);
  const Rect low = room.cutBottom(room.height() * 0.28F);
  s.cut(top, 3.0F);
  for (int h = 0; h < kHeads; ++h) {
    for (int to = 0; to < kHeads; ++to) {
      s.line({top.column(h, kHeads, s.px(3)).centre().x, top.b.y},
             {low.column(to, kHeads, s.px(3)).centre().x, low.a.y}, withAlpha(s.head(h), 0.6F),
             1.0F);
    }
  }
  s.block(low, s.accent());
}

void mask(const Sketch& s) {
  s.matrix(s.at(), kWords, kWords, s.accent(),
           [](int i, int j) { return j > i ? -1.0F : 1.0F / static_cast<float>(1 + i - j); });
}

void learning(const Sketch& s) {
  constexpr std::array<float, 7> kLoss{0.95F, 0.9F, 0.8F, 0.45F, 0.2F, 0.1F, 0.07F};
  Rect room = s.at();
  s.curve(room.cutLeft(room.width() * 0.45F, s.px(10)), kLoss, s.ink());
  for (int h = 0; h < kHeads; ++h) {
    const Rect tile = room.row(h / 2, 2, s.px(5)).column(h % 2, 2, s.px(5));
    s.matrix(tile, 4, 4, s.head(h), [h](int i, int j) {
      const bool there = h == 0 ? j == i - 1 : h == 1 ? j == 0 : h == 2 ? j == i + 1 : j == 3 - i;
      return there ? 1.0F : 0.0F;
    });
  }
}

void manyHeads(const Sketch& s) {
  for (int h = 0; h < 2 * kHeads; ++h) {
    const Rect tile = s.at().row(h / kHeads, 2, s.px(6)).column(h % kHeads, kHeads, s.px(6));
    s.matrix(tile, 4, 4, s.head(h), [h](int i, int j) {
      return (i + j * (1 + h % 3)) % 4 == h % 4 ? 0.9F : 0.05F;  // h and h + 12 would be twins
    });
  }
}

void cache(const Sketch& s) {
  s.matrix(s.at(), 4, 8, s.accent(), [](int i, int j) {
    return j > i + 3 ? -1.0F : j == i + 3 ? 1.0F : 0.2F;
  });
}

void code(const Sketch& s) {
  constexpr std::array<float, 5> kLengths{0.55F, 0.8F, 0.65F, 0.9F, 0.4F};
  for (int i = 0; i < 5; ++i) {
    Rect row = s.at().row(i, 5, s.px(6));
    row.cutLeft(i == 0 || i == 4 ? 0.0F : s.px(14));
    row.b.x = row.a.x + row.width() * kLengths[static_cast<std::size_t>(i)];
    s.block(row, i == 2 ? s.accent() : s.ink());
  }
}

void series(const Sketch& s) {
  constexpr std::array<float, 15> kCurve{0.3F,  0.34F, 0.28F, 0.33F, 0.3F, 1.0F,  0.32F, 0.3F,
                                         0.36F, 0.65F, 0.7F,  0.66F, 0.7F, 0.64F, 0.69F};
  const float x = s.at().a.x + s.at().width() * 5.0F / 14.0F;
  s.line({x, s.at().a.y}, {x, s.at().b.y}, withAlpha(s.head(4), 0.35F), 8.0F);
  s.curve(s.at(), kCurve, s.accent());
}

void twoSentences(const Sketch& s) {
  Rect room = s.at();
  constexpr std::array<int, 5> kTo{0, 1, 2, 4, 3};
  const Rect top = room.cutTop(s.px(6));
  const Rect low = room.cutBottom(s.px(6));
  for (int i = 0; i < 5; ++i) {
    const ImVec2 from{top.column(i, 5, s.px(4)).centre().x, top.b.y};
    const int to = kTo[static_cast<std::size_t>(i)];
    s.line(from, {low.column(to, 5, s.px(4)).centre().x, low.a.y}, s.head(i), 2.0F);
    s.block(top.column(i, 5, s.px(4)), s.ink());
    s.block(low.column(i, 5, s.px(4)), s.ink());
  }
}

void questions(const Sketch& s) {
  s.matrix(s.at(), 3, 4, s.accent(), [](int i, int j) { return i * 4 + j < 7 ? 1.0F : 0.1F; });
}

void room(const Sketch& s) {
  Rect screen = s.at();
  Rect seats = screen.cutBottom(screen.height() * 0.25F, s.px(6));
  s.block(screen, withAlpha(s.accent(), 0.14F));
  const auto words = s.words(screen.inset({s.px(10), s.px(4)}));
  s.arcs(words, {{4, 1, 3.5F, 0.9F}}, s.head(1));
  s.dots(words, 4, s.head(1));
  for (int i = 0; i < 9; ++i) s.block(seats.column(i, 9, s.px(5)), s.ink());
}

/// A picture cut into patches; the class token looks at those of the shape.
void pictureOfPatches(const Sketch& s) {
  constexpr int kSide = 6;
  const auto shade = [](int i, int j) {
    const bool edge = i == 1 || i == 4 || j == 1 || j == 4;
    const bool inside = i >= 1 && i <= 4 && j >= 1 && j <= 4;
    return !inside ? 0.06F : edge ? 0.9F : 0.35F;
  };
  s.matrix(s.at(), kSide, kSide, s.head(1), shade);
}

constexpr Drawing kLessonDrawings[] = {{"arcs", oneWordAsks},
                                       {"products", byHand},
                                       {"two jobs", twoJobs},
                                       {"split", split},
                                       {"divide", divide},
                                       {"mix", mixed},
                                       {"mask", mask},
                                       {"learning", learning},
                                       {"heads", manyHeads},
                                       {"cache", cache},
                                       {"code", code},
                                       {"series", series},
                                       {"two sentences", twoSentences},
                                       {"questions", questions},
                                       {"room", room},
                                       {"picture", pictureOfPatches}};

const Drawing* drawingNamed(std::string_view name) {
  const auto* found = std::ranges::find(kLessonDrawings, name, &Drawing::name);
  return found != std::end(kLessonDrawings) ? found : nullptr;
}

}  // namespace

bool isLessonPicture(std::string_view name) { return drawingNamed(name) != nullptr; }

void drawLessonPicture(const FrameContext& look, ImDrawList* list, std::string_view name,
                       const Rect& at) {
  if (const Drawing* drawing = drawingNamed(name)) drawing->draw(Sketch(look, list, at));
}

}  // namespace headscope::ui
