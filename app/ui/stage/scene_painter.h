// Scene painter: what the pictures of all places of the journey share: the rows of the trace, the
// sentence, and the bars of numbers below it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/matrix_picture.h"
#include "app/ui/parts/patch_map.h"
#include "app/ui/parts/patch_picture.h"
#include "app/ui/stage/journey_scene.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/sentence_layout.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/mask.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {

class ScenePainter {
 protected:
  static constexpr float kBarWidth = 26.0F;

  ScenePainter(const PanelContext& panel, const StageSubject& subject, const JourneyMoment& moment,
               const SceneLayout& layout, const SceneWords& words, const Rect& room, int hovered)
      : panel_(panel),
        look_(panel.look),
        theme_(look_.theme),
        trace_(panel.trace),
        c_(trace_.config()),
        subject_(subject),
        moment_(moment),
        layout_(layout),
        words_(words),
        room_(room),
        hovered_(hovered),
        list_(ImGui::GetWindowDrawList()),
        bars_(panel, panel.magnitudes),
        color_(headColor(theme_, static_cast<std::size_t>(subject.head))),
        weights_(cells(TensorId::weights)) {}

  // the pass

  std::vector<float> cells(TensorId tensor) const {
    std::vector<float> row(static_cast<std::size_t>(c_.keys()));
    trace_.tile(tensor, subject_.item, subject_.head, subject_.word, 1, 0, c_.keys(), row.data());
    return row;
  }
  bool allowed(Index key) const {
    return allowedKeys(c_.mask, subject_.item, subject_.word, c_.keys())(key);
  }
  /// One row of a tensor; `salt` tells several pictures of one row apart.
  MatrixRef rowOf(TensorId tensor, Index row, std::uint64_t salt = 0) const {
    MatrixRef ref = wholeMatrix(tensor, c_, subject_.item, subject_.head);
    ref.row0 = row;
    ref.rows = 1;
    ref.salt = salt;
    return ref;
  }
  MatrixRef columnsOf(MatrixRef ref, Index first, Index count) const {
    ref.col0 = first;
    ref.cols = count;
    return ref;
  }
  std::string word() const {
    return fmt::format("“{}”",
                       stageWord(placeName(trace_, Axis::query, subject_.item, subject_.word)));
  }

  /// The font of a label: large on a slide, which is read from afar.
  ImFont* label(ImFont* font) const { return panel_.alone ? look_.fonts.title : font; }

  // the sentence

  const Rect& wordAt() const {
    return layout_.queries.words[static_cast<std::size_t>(subject_.word)];
  }

  /// Draws the words, tinted by `tints`, and the arcs behind them.
  void sentence(std::span<const float> tints, std::span<const Arc> arcs, float others = 1.0F) {
    if (layout_.queries.isPicture()) picture(tints);
    SentenceLayout ends = layout_.keys;
    if (c_.crossAttention()) {  // the arcs end below the bars of the memory's words
      for (Rect& at : ends.words) at.b.y += layout_.keys.below;
      drawWords(look_, list_, {&layout_.keys, words_.keys, -1, -1, tints, {}, others}, color_);
    }
    drawArcs(look_, list_, layout_.queries, c_.crossAttention() ? ends : layout_.keys, arcs,
             color_);
    drawWords(look_, list_,
              {&layout_.queries, words_.queries, static_cast<int>(subject_.word), hovered_,
               c_.crossAttention() ? std::span<const float>() : tints, words_.unknown, others},
              color_);
    series();
  }

  /// Draws the image whose patches the words are, with their shares over it.
  void picture(std::span<const float> shares) const {
    const auto image = PatchPicture::shown(look_, *trace_.document().input, subject_.item);
    if (!image) return;
    const Rect& at = layout_.queries.picture;
    image->draw(look_, list_, at, -1, -1);
    if (shares.empty()) return;
    drawPatchMap(look_, list_, image->patches(at, c_.seqLen), shares.data(), color_,
                 fullWeight(shares));
  }

  /// Draws the channels of a series below the marks of its steps.
  void series() {
    if (!layout_.queries.marks() || layout_.queries.isPicture()) return;
    const AxisCurves curves = inputCurves(look_, *trace_.document().input, subject_.item);
    const Rect& first = layout_.queries.words.front();
    const Rect& last = layout_.queries.words.back();
    const float high = std::max(0.0F, layout_.queries.below - look_.px(30));
    if (!curves.empty()) {
      curves.drawAcross(list_, {{first.a.x, first.b.y + look_.px(2)}, {last.b.x, first.b.y + high}},
                        c_.seqLen, static_cast<int>(subject_.word));
    }
    Rect above = wordAt();
    above.b.y = first.b.y + high;
    caption(above, std::string(stageWord(words_.queries[static_cast<std::size_t>(subject_.word)])),
            color_);
  }

  bool barsFit() const { return !layout_.keys.marks() && layout_.keys.below >= look_.px(30); }
  /// The bar of numbers below a key's word: upright below a single line, else as wide as the word.
  Rect barBelow(Index key) const {
    const Rect& at = layout_.keys.words[static_cast<std::size_t>(key)];
    const float gap = look_.px(6);
    const float bottom = at.b.y + layout_.keys.below - numberRoom(panel_);
    if (upright()) {
      const float width = std::min(look_.px(kBarWidth), at.width());
      return {{at.centre().x - width * 0.5F, at.b.y + gap}, {at.centre().x + width * 0.5F, bottom}};
    }
    return {{at.a.x + gap, at.b.y + look_.px(2)},
            {std::max(at.a.x + gap + 1.0F, at.b.x - gap), bottom}};
  }
  bool upright() const {
    constexpr float kLow = 48.0F;  // points
    return layout_.keys.below - numberRoom(panel_) > look_.px(kLow);
  }

  void bar(MatrixRef ref, const Rect& at, float opacity) {
    ref.transposed = upright();
    bars_.add(ref, bars_.scaleOf(wholeMatrix(ref.tensor, c_, subject_.item, subject_.head)), at,
              opacity);
  }
  /// Draws the bias of the query with each key as a coloured square below the key.
  void biasOfPairs(float opacity) {
    if (opacity <= 0.0F || !barsFit()) return;
    const MatrixRef row = rowOf(TensorId::pairBias, subject_.word);
    const ColorScale scale =
        bars_.scaleOf(wholeMatrix(TensorId::pairBias, c_, subject_.item, subject_.head));
    for (Index j = 0; j < c_.keys(); ++j) {
      if (!allowed(j)) continue;  // the mask hides it in the same step
      const Rect bar = barBelow(j);
      const float side = std::min(bar.width(), bar.height());
      const Rect at = bar.placed({side, side}, 0.5F, 1.0F);
      bars_.add(columnsOf(row, j, 1), scale, at, opacity);
      bars_.frame(at, theme_.panelBorder);
    }
  }
  /// Draws a number below a key's word, unless it would cover one that is drawn.
  void numberBelow(Index key, const std::string& text, ImU32 color, bool bold = false) {
    if (layout_.keys.marks()) return;
    const Rect& at = layout_.keys.words[static_cast<std::size_t>(key)];
    // each word of a slide has its number: those of other words stay small enough for that
    ImFont* font = bold           ? label(look_.fonts.semibold)
                   : panel_.alone ? look_.fonts.semibold
                                  : look_.fonts.mono;
    const ImVec2 centre{at.centre().x, at.b.y + layout_.keys.below - numberRoom(panel_) * 0.45F};
    for (ImFont* each : {font, look_.fonts.small, look_.fonts.tiny}) {  // a comma has little room
      const ImVec2 size = textSize(each, text);
      const Rect place =
          Rect::at({centre.x - size.x * 0.5F - look_.px(3), centre.y - size.y * 0.5F},
                   {size.x + look_.px(6), size.y});
      const auto covers = [&](const Rect& other) { return other.overlaps(place); };
      if (std::any_of(numbers_.begin(), numbers_.end(), covers)) continue;
      numbers_.push_back(place);
      if (layout_.keys.lines > 1) {  // an arc from a line below may cross it
        list_->AddRectFilled(place.a, place.b, withAlpha(theme_.window, 0.8F), look_.space.tight);
      }
      return drawTextCentred(list_, each, centre, color, text);
    }
  }

  // the places

  /// The room below the sentence.
  Rect belowSentence() const {
    float bottom = room_.a.y;
    for (const Rect& at : layout_.queries.words) bottom = std::max(bottom, at.b.y);
    Rect rest = room_;
    rest.a.y = bottom + look_.px(30);
    return rest;
  }
  /// Returns whether the room below the sentence is low, as above the numbers.
  bool isLow(const Rect& below) const { return below.height() < look_.px(230); }
  float barHeight(const Rect& below, float points) const {
    return std::min(look_.px(points), below.height() * 0.35F);
  }
  Rect wideBar(float y, float height) const {
    const float width = std::min(room_.width() * 0.86F, look_.px(1400));
    return Rect::at({room_.centre().x - width * 0.5F, y}, {width, height});
  }
  void caption(const Rect& bar, const std::string& text, ImU32 color) const {
    ImFont* font = label(look_.fonts.semibold);
    const float height = fontSize(font);
    const float width = textSize(font, text).x;
    const float half = 0.5F * std::min(width, room_.width());
    const float x = std::clamp(bar.centre().x, room_.a.x + half, room_.b.x - half);
    drawLettersCentred(look_, list_, {x, bar.b.y + height * 0.9F}, room_.width(), height, true,
                       color, text);
  }
  /// Draws a soft band from one rectangle's lower edge to another's upper edge, as far as `share`.
  void band(const Rect& from, const Rect& to, ImU32 color, float share, float alpha = 0.16F) const {
    if (share <= 0.0F) return;
    const float y = from.b.y + (to.a.y - from.b.y) * share;
    const float left = from.a.x + (to.a.x - from.a.x) * share;
    const float right = from.b.x + (to.b.x - from.b.x) * share;
    list_->AddQuadFilled({from.a.x, from.b.y}, {from.b.x, from.b.y}, {right, y}, {left, y},
                         withAlpha(color, alpha));
  }

  // the result of a head

  Rect resultBar() const {
    const float width = std::min(room_.width() * 0.36F, look_.px(560));
    const float x = std::clamp(wordAt().centre().x - width * 0.5F, room_.a.x, room_.b.x - width);
    const float below = look_.px(panel_.alone ? 70 : 62);  // with its caption
    return Rect::at({x, room_.b.y - below}, {width, look_.px(34)});
  }

  /// The place of what a gated head has collected, above its gates and its result.
  Rect collectedBar() const {
    const Rect result = resultBar();
    return Rect::at({result.a.x, result.a.y - look_.px(62)}, {result.width(), look_.px(24)});
  }

  /// Draws the value of a key on its way to the result, `done` 0 … 1: a stream as thick as its
  /// share, and in it the value's numbers, which spread over those of the result as they arrive.
  void stream(const Link& link, const Rect& result, float done) {
    const Rect from =
        barsFit() ? barBelow(link.key) : layout_.keys.words[static_cast<std::size_t>(link.key)];
    const float start = barsFit() ? from.b.y + numberRoom(panel_) : from.b.y;
    const ImVec2 a{from.centre().x, start};
    const ImVec2 b{std::clamp(a.x, result.a.x + look_.px(12), result.b.x - look_.px(12)),
                   result.a.y};
    const float bend = (b.y - a.y) * 0.7F;
    const Curve curve{a, ImVec2{a.x, a.y + bend}, ImVec2{b.x, b.y - bend}, b};
    constexpr int kPoints = 40;
    const int drawn = static_cast<int>(std::lround(done * kPoints));
    if (drawn < 1) return;
    for (int i = 0; i <= drawn; ++i)
      list_->PathLineTo(pointOn(curve, static_cast<float>(i) / kPoints));
    const float thick = std::max(look_.px(1.6F), look_.px(24) * link.drawn());
    list_->PathStroke(withAlpha(color_, 0.25F + 0.4F * link.drawn()), 0, thick);
    if (done < 1.0F) return movingValue(link, curve, result, done);
    if (!panel_.frame.stagePlaying) return;
    constexpr double kEvery = 2.4;  // seconds between two values in one stream
    const double seconds = moment_.passed * info(moment_.place).seconds;
    movingValue(link, curve, result, static_cast<float>(std::fmod(seconds / kEvery, 1.0)));
  }

  /// Draws a key's value at `share` of its way, as high as its weight is of the result's height.
  void movingValue(const Link& link, const Curve& way, const Rect& result, float share) {
    const ImVec2 at = mix(pointOn(way, share), result.centre(), share * share);
    const ImVec2 size = mix({look_.px(kBarWidth * 2.0F), result.height()}, result.size(), share);
    const float high = std::max(look_.px(3), size.y * link.drawn());
    MatrixRef ref = rowOf(TensorId::v, link.key, 2);
    bars_.add(ref, bars_.scaleOf(wholeMatrix(ref.tensor, c_, subject_.item, subject_.head)),
              Rect::at({at.x - size.x * 0.5F, at.y - high * 0.5F}, {size.x, high}),
              0.25F + 0.75F * link.drawn());
  }

  void headBar(TensorId tensor, const Rect& at, float opacity) {
    const MatrixRef ref = rowOf(tensor, subject_.word);
    bars_.add(ref, bars_.scaleOf(wholeMatrix(tensor, c_, subject_.item, subject_.head)), at,
              opacity);
    bars_.frame(at, opacity > 0.0F ? color_ : theme_.panelBorder, 1.5F);
  }

  /// Draws what a gated head has collected, and below it the gates that each number is scaled by.
  void gates(float done, float gated) {
    const Rect above = collectedBar();
    const Rect gate = Rect::at({above.a.x, above.b.y + look_.px(9)}, {above.width(), look_.px(16)});
    headBar(TensorId::heads, above, done);
    headBar(TensorId::gate, gate, gated);
    ImFont* font = label(look_.fonts.regular);
    const auto name = [&](const Rect& bar, const char* text) {
      const ImVec2 size = textSize(font, text);
      drawText(list_, font, {bar.a.x - size.x - look_.px(8), bar.centre().y - 0.5F * size.y},
               theme_.textMuted, text);
    };
    name(above, "collected");
    name(gate, "× gate, 0 to 1");
    name(resultBar(), "=");
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const Theme& theme_;
  const Trace& trace_;
  const AttentionConfig& c_;
  const StageSubject& subject_;
  const JourneyMoment& moment_;
  const SceneLayout& layout_;
  const SceneWords& words_;
  const Rect& room_;
  int hovered_;
  ImDrawList* list_;
  MatrixPicture bars_;
  ImU32 color_;
  std::vector<float> weights_;
  std::vector<Rect> numbers_;  // the places of the numbers below words
};

}  // namespace headscope::ui
