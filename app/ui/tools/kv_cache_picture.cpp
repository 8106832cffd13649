#include "app/ui/tools/kv_cache_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/hover.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/matrix_picture.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kCachedOpacity = 0.4F;

class KvCachePicture {
 public:
  KvCachePicture(const PanelContext& panel, Magnitudes& magnitudes)
      : panel_(panel),
        look_(panel.look),
        config_(panel.trace.config()),
        picture_(panel, magnitudes),
        list_(ImGui::GetWindowDrawList()),
        now_(panel.selection.decodePosition),
        every_(panel.selection.scope == StepViewScope::allHeads) {}

  void draw(Rect room) {
    const Theme& t = look_.theme;
    const float gap = look_.space.medium;
    const AxisLabels tokens = tokenLabels(look_.fonts.small, look_.px(64));
    Rect rows = room;
    rows.cutLeft(tokens.width() + look_.space.small);
    const Rect right =
        rows.cutRight(std::clamp(room.width() * 0.46F, look_.px(100), look_.px(360)), gap);
    const Rect legend = rows.cutBottom(titleHeight());
    const Rect titles = rows.cutTop(titleHeight());
    const auto count = static_cast<float>(config_.seqLen);
    rows.b.y = rows.a.y + std::min(rows.height() / count, look_.px(32)) * count;

    const auto matrix = [&](int place, TensorId tensor, ImU32 color, bool cached) {
      tokenRows(tensor, titles.column(place, 4, gap), rows.column(place, 4, gap), color, cached);
    };
    matrix(0, TensorId::x, t.text, false);
    matrix(1, every_ ? TensorId::qProj : TensorId::q, t.queryText, false);
    matrix(2, every_ ? TensorId::kProj : TensorId::k, t.keyText, true);
    matrix(3, every_ ? TensorId::vProj : TensorId::v, t.valueText, true);
    newRows(right);
    picture_.draw(list_);
    drawRowLabels(list_, tokens, rows, look_.space.small);
    drawLegend({{rows.a.x, rows.b.y + look_.space.tight}, legend.b});
  }

 private:
  AxisLabels tokenLabels(ImFont* font, float limit) const {
    AxisLabels labels;
    labels.texts = laneTokens(panel_.trace, Lane::query, panel_.selection.item);
    labels.font = font;
    labels.color = look_.theme.textMuted;
    labels.litColor = look_.theme.queryText;
    labels.lit = now_;
    labels.limit = limit;
    labels.curves = laneCurves(look_, panel_.trace, Lane::query, panel_.selection.item);
    return labels;
  }
  float titleHeight() const { return fontSize(look_.fonts.regular) + look_.space.small; }
  MatrixRef whole(TensorId tensor) const {
    return wholeMatrix(tensor, config_, panel_.selection.item, panel_.selection.head);
  }
  void title(ImVec2 at, float width, ImU32 color, const std::string& symbol,
             const std::string& after) {
    drawMatrixTitle(look_, list_, at, width, look_.fonts.regular, color, symbol, after);
  }

  /// Draws a matrix of token rows: the new row, the rows before it as cached or not kept, and later
  /// rows hatched.
  void tokenRows(TensorId tensor, const Rect& line, const Rect& at, ImU32 color, bool cached) {
    const MatrixRef ref = whole(tensor);
    std::string symbol(info(tensor).symbol);
    if (ref.head >= 0) symbol += fmt::format("_{{{}}}", ref.head + 1);
    title(line.a, line.width(), color, symbol, toString(Shape{cached ? now_ + 1 : 1, ref.cols}));
    const ColorScale scale = picture_.scaleOf(ref);
    const MatrixPlace rows{at, config_.seqLen, 1};
    const auto band = [&](Index from, Index count) {
      return rows.block(static_cast<double>(from), static_cast<double>(count), 0, 1);
    };
    MatrixRef part = ref;
    part.rows = now_;
    if (cached) {
      picture_.add(part, scale, band(0, now_), kCachedOpacity);
    } else if (now_ > 0) {
      const Rect before = band(0, now_);
      list_->AddRectFilled(before.a, before.b, look_.theme.field);
    }
    part.row0 = now_;
    part.rows = 1;
    picture_.add(part, scale, band(now_, 1));
    picture_.heatmaps().addHatched(band(now_ + 1, config_.seqLen - now_ - 1));
    picture_.frame(at, look_.theme.panelBorder);
    // at least a few points high, so that one row of a thousand is visible
    Rect row = rows.block(static_cast<double>(now_), 1, 0, 1, look_.space.tight);
    row.a.x -= 1.0F;
    row.b.x += 1.0F;
    picture_.frame(row, color, 2.0F);
    if (every_ && tensor != TensorId::x) outlineHead(tensor, at, ref.cols);
  }

  /// Outlines the chosen head's columns.
  void outlineHead(TensorId tensor, const Rect& at, Index cols) {
    const Index head =
        tensor == TensorId::qProj ? panel_.selection.head : config_.kvHead(panel_.selection.head);
    const auto width = static_cast<double>(config_.dK());
    picture_.frame(MatrixPlace{at, 1, cols}.block(0, 1, static_cast<double>(head) * width, width),
                   headColor(look_.theme, static_cast<std::size_t>(panel_.selection.head)), 1.5F);
  }

  /// Adds the row of the new token: of the chosen head, or of all heads one below the other.
  void newRow(TensorId tensor, Rect at, bool overKeys) {
    MatrixRef ref = whole(tensor);
    ref.row0 = now_;
    ref.rows = 1;
    const Rect all = at;
    if (overKeys) {
      at.b.x = at.a.x + at.width() * static_cast<float>(now_ + 1) / static_cast<float>(ref.cols);
      ref.cols = now_ + 1;
    }
    const bool stacked = every_ && ref.head >= 0;
    if (stacked) ref.head = -1;  // one scale for all
    const ColorScale scale = picture_.scaleOf(ref);
    const auto heads = static_cast<int>(stacked ? config_.numHeads : 1);
    for (int h = 0; h < heads; ++h) {
      if (stacked) ref.head = h;
      picture_.add(ref, scale, at.row(h, heads, 0.0F));
    }
    if (!stacked) picture_.numbers(ref, scale, at);
    picture_.heatmaps().addHatched({{at.b.x, all.a.y}, all.b});
    picture_.frame(all, look_.theme.panelBorder);
  }

  /// Returns the symbol of the scores with their divisor: "q_3 K_1^T/√64".
  std::string scoreSymbol() const {
    const Index head = panel_.selection.head, kvHead = config_.kvHead(head);
    const bool own = config_.numKvHeads == config_.numHeads;  // each head has its own keys
    std::string symbol = !every_ ? fmt::format("q_{{{}}} K_{{{}}}^T", head + 1, kvHead + 1)
                         : own   ? "q_h K_h^T"
                                 : "q_h K^T";
    AttentionConfig unmasked = config_;
    unmasked.mask = {};
    return symbol + step(StepId::scale).text(config_).flow + step(StepId::mask).text(unmasked).flow;
  }

  /// Adds one row each of scores, weights, head output and layer output. Each stands below its
  /// name, or at its right where there is little height.
  void newRows(Rect room) {
    const Theme& t = look_.theme;
    const bool namesLeft = room.height() < look_.px(200);
    const float names = namesLeft ? look_.px(88) : 0.0F;
    const float line = namesLeft ? 0.0F : titleHeight();
    const float gap = look_.space.tight;
    const auto count = static_cast<float>(config_.seqLen);
    const float across = std::min(room.width() - names, look_.px(64) * count);
    const ColumnLabels keys(look_, tokenLabels(look_.fonts.tiny, look_.px(40)), across,
                            look_.px(32));
    const float free = room.height() - 4 * line - 3 * gap - keys.room();
    // all heads stand one below the other in scores and weights
    const float even = std::clamp(free / 4, look_.space.tight, look_.px(32));
    const float thin = every_ ? std::min(even, look_.space.large) : even;
    const float tall = every_ ? std::max(even, (free - 2 * thin) / 2) : even;

    const auto row = [&](TensorId tensor, const std::string& symbol, Index rows, Index cols,
                         ImU32 color, bool overKeys) {
      const Rect name = room.cutTop(line);
      Rect at = room.cutTop(overKeys ? tall : thin);
      if (namesLeft) {
        const Rect left = at.cutLeft(names);
        const float y = left.centre().y - fontSize(look_.fonts.regular) * 0.5F;
        title({left.a.x, y}, 0.0F, color, symbol, {});
      } else {
        title(name.a, name.width(), color, symbol, toString(Shape{rows, cols}));
      }
      if (overKeys) at.b.x = at.a.x + across;
      newRow(tensor, at, overKeys);
      return at;
    };
    const std::string head = every_ ? "_h" : fmt::format("_{{{}}}", panel_.selection.head + 1);
    const Index heads = every_ ? config_.numHeads : 1;
    row(TensorId::maskedScores, scoreSymbol(), heads, now_ + 1, t.accentText, true);
    room.cutTop(gap);
    const Rect weights =
        row(TensorId::weights, "softmax = a" + head, heads, now_ + 1, t.accentText, true);
    keys.draw(list_, weights);
    room.cutTop(keys.room());
    if (every_) {
      row(TensorId::concat, tr("concat"), 1, config_.queryWidth(), t.text, false);
    } else {
      row(joinedHeads(config_),
          fmt::format(fmt::runtime(config_.switches->gate ? "head{} = G ⊙ a V" : "head{} = a V"),
                      head),
          1, config_.dK(), headColor(t, static_cast<std::size_t>(panel_.selection.head)), false);
    }
    room.cutTop(gap);
    row(TensorId::output, every_ && !namesLeft ? tr("output = concat W^O") : tr("output"), 1,
        config_.dModel, t.outputText, false);
  }

  /// Draws the legend of the kinds of rows, as much of it as fits.
  void drawLegend(Rect room) {
    const Theme& t = look_.theme;
    ImFont* font = look_.fonts.tiny;
    const float side = look_.space.medium;
    const auto entry = [&](const char* text, auto&& swatch) {
      const float width = textSize(font, text).x;
      if (side + look_.space.tight + width > room.width()) return;
      Rect at = room.cutLeft(side, look_.space.tight);
      at.b.y = at.a.y + side;
      swatch(at.a, at.b);
      drawText(list_, font, {room.a.x, at.centre().y - fontSize(font) * 0.5F}, t.textMuted, text);
      room.cutLeft(width, look_.space.medium);
    };
    entry(tr("new"),
          [&](ImVec2 a, ImVec2 b) { list_->AddRect(a, b, t.keyText, 0, 0, look_.space.thin); });
    entry(tr("cached"),
          [&](ImVec2 a, ImVec2 b) { list_->AddRectFilled(a, b, withAlpha(t.key, 0.35F)); });
    entry(tr("not kept"), [&](ImVec2 a, ImVec2 b) { list_->AddRectFilled(a, b, t.fieldActive); });
    entry(tr("to come"), [&](ImVec2 a, ImVec2 b) {
      list_->AddRectFilled(a, b, t.maskedFill);
      list_->AddLine({a.x, b.y}, {b.x, a.y}, t.hatch, look_.space.hair);
      list_->AddRect(a, b, t.hatch);
    });
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const AttentionConfig& config_;
  MatrixPicture picture_;
  ImDrawList* list_;
  Index now_;
  bool every_;
};

}  // namespace

void kvCachePicture(const PanelContext& panel, Magnitudes& magnitudes, const Rect& room) {
  KvCachePicture(panel, magnitudes).draw(room);
}

}  // namespace headscope::ui
