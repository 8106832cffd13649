#include "app/ui/tools/kv_cache_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/tools/matrix_pieces.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kCachedOpacity = 0.4F;

class Picture {
 public:
  Picture(const Panel& panel, Magnitudes& magnitudes, ImVec2 origin, ImVec2 room)
      : panel_(panel),
        look_(panel.look),
        config_(panel.trace.config()),
        pieces_(panel, magnitudes),
        list_(ImGui::GetWindowDrawList()),
        origin_(origin),
        room_(room),
        now_(panel.view.decodePosition),
        tokens_(laneTokens(panel.trace, Lane::query, panel.view.item)),
        every_(panel.view.scope == StageScope::allHeads) {}

  void draw() {
    const float labels = labelWidth(look_.fonts.small, tokens_, look_.px(64)) + look_.px(7);
    const float gap = look_.px(12);
    const float rows = std::clamp(room_.x * 0.46F, look_.px(100), look_.px(360));
    const float width = (room_.x - labels - rows - 4 * gap) / 4;
    const float title = look_.px(20);
    const float legend = look_.px(20);
    top_ = origin_.y + title;
    cell_ = std::min((room_.y - title - legend) / static_cast<float>(config_.seqLen), look_.px(32));
    height_ = cell_ * static_cast<float>(config_.seqLen);

    float x = origin_.x + labels;
    const auto next = [&](TensorId tensor, ImU32 color, bool cached) {
      tokenRows(tensor, x, width, color, cached);
      x += width + gap;
    };
    const Theme& t = look_.theme;
    next(TensorId::x, t.text, false);
    next(every_ ? TensorId::qProj : TensorId::q, t.queryText, false);
    next(every_ ? TensorId::kProj : TensorId::k, t.keyText, true);
    next(every_ ? TensorId::vProj : TensorId::v, t.valueText, true);
    newRows({x, origin_.y}, rows);
    pieces_.draw(list_);
    for (const Frame& f : frames_) list_->AddRect(f.a, f.b, f.color, 0, 0, look_.px(f.width));
    for (const Number& n : numbers_) {
      drawTextCentred(list_, look_.fonts.monoSmall, n.centre, n.color, n.text);
    }
    const LabelStyle style{look_.fonts.small, t.textMuted, t.queryText, now_};
    drawRowLabels(list_, tokens_, {origin_.x + labels - look_.px(6), top_}, cell_, look_.px(64),
                  style);
    drawLegend(origin_.x + labels, top_ + height_ + look_.px(5), width * 4 + gap * 3);
    pieces_.pick();
  }

 private:
  struct Frame {
    ImVec2 a, b;
    ImU32 color;
    float width;
  };
  struct Number {
    ImVec2 centre;
    ImU32 color;
    std::string text;
  };

  MatrixRef whole(TensorId tensor) const {
    return wholeMatrix(tensor, config_, panel_.view.item, panel_.view.head);
  }

  std::string symbolOf(const MatrixRef& ref) const {
    std::string symbol(info(ref.tensor).symbol);
    if (ref.head >= 0) symbol += fmt::format("_{{{}}}", ref.head + 1);
    return symbol;
  }

  void drawTitle(ImVec2 at, float width, ImU32 color, const std::string& symbol,
                 const std::string& after) {
    const ImVec2 size = richTextSize(look_.fonts, look_.fonts.regular, symbol);
    drawRichText(list_, look_.fonts, look_.fonts.regular, at, color, symbol);
    const float left = size.x + look_.px(6);
    ImFont* mono = look_.fonts.monoSmall;
    if (left + textSize(mono, after).x > width) return;
    drawText(list_, mono, {at.x + left, at.y + (size.y - fontSize(mono)) * 0.6F},
             look_.theme.textMuted, after);
  }

  /// A matrix of token rows: the new one as it is, those before cached or not kept, later ones
  /// hatched.
  void tokenRows(TensorId tensor, float x, float width, ImU32 color, bool cached) {
    const MatrixRef ref = whole(tensor);
    const auto y = [&](Index row) { return top_ + cell_ * static_cast<float>(row); };
    drawTitle({x, origin_.y}, width, color, symbolOf(ref),
              toString(Shape{cached ? now_ + 1 : 1, ref.cols}));
    MatrixRef part = ref;
    const ColorScale scale = pieces_.scaleOf(ref);
    if (cached) {
      part.rows = now_;
      pieces_.add(part, scale, {x, y(0)}, {x + width, y(now_)}, kCachedOpacity);
    } else if (now_ > 0) {
      list_->AddRectFilled({x, y(0)}, {x + width, y(now_)}, look_.theme.field);
    }
    part.row0 = now_;
    part.rows = 1;
    pieces_.add(part, scale, {x, y(now_)}, {x + width, y(now_ + 1)});
    pieces_.addEmpty({x, y(now_ + 1)}, {x + width, y(config_.seqLen)});
    frames_.push_back({{x, y(0)}, {x + width, y(config_.seqLen)}, look_.theme.panelBorder, 1});
    // at least a few points high, so that one row of a thousand is seen
    const float grow = std::max(0.0F, look_.px(4) - cell_) * 0.5F;
    frames_.push_back({{x - 1, y(now_) - grow}, {x + width + 1, y(now_ + 1) + grow}, color, 2});
    if (every_ && tensor != TensorId::x) outlineHead(tensor, x, width, ref.cols);
  }

  /// The chosen head's columns.
  void outlineHead(TensorId tensor, float x, float width, Index cols) {
    const Index head =
        tensor == TensorId::qProj ? panel_.view.head : config_.kvHead(panel_.view.head);
    const float per = width * static_cast<float>(config_.dK()) / static_cast<float>(cols);
    const float left = x + per * static_cast<float>(head);
    const ImU32 color = headColor(look_.theme, static_cast<std::size_t>(panel_.view.head));
    frames_.push_back({{left, top_}, {left + per, top_ + height_}, color, 1.5F});
  }

  /// The row of a matrix at the new token: of the chosen head, or of all of them one below the
  /// other.
  void rowBar(TensorId tensor, ImVec2 a, ImVec2 b, bool overKeys) {
    MatrixRef ref = whole(tensor);
    ref.row0 = now_;
    ref.rows = 1;
    const Index all = ref.cols;
    if (overKeys) ref.cols = now_ + 1;
    const float right = a.x + (b.x - a.x) * static_cast<float>(ref.cols) / static_cast<float>(all);
    const bool stacked = every_ && ref.head >= 0;
    if (stacked) ref.head = -1;  // one scale for all
    const ColorScale scale = pieces_.scaleOf(ref);
    const Index heads = stacked ? config_.numHeads : 1;
    const float each = (b.y - a.y) / static_cast<float>(heads);
    for (Index h = 0; h < heads; ++h) {
      if (stacked) ref.head = h;
      const float top = a.y + each * static_cast<float>(h);
      pieces_.add(ref, scale, {a.x, top}, {right, top + each});
      if (!stacked) drawNumbers(ref, scale, {a.x, top}, {right, top + each});
    }
    pieces_.addEmpty({right, a.y}, b);
    frames_.push_back({a, b, look_.theme.panelBorder, 1});
  }

  /// In the cells, where all of them have room; drawn above the heatmap.
  void drawNumbers(const MatrixRef& ref, const ColorScale& scale, ImVec2 a, ImVec2 b) {
    ImFont* font = look_.fonts.monoSmall;
    const float width = (b.x - a.x) / static_cast<float>(ref.cols);
    const int decimals = scale.diverging ? cellDecimals(scale.high) : 2;
    const std::string widest = cellNumber(scale.diverging ? -scale.high : 1.0, decimals);
    if (textSize(font, widest).x + look_.px(3) > width || b.y - a.y < fontSize(font)) return;
    for (Index c = 0; c < ref.cols; ++c) {
      const CellRef cell = ref.cell(0, c);
      const float value = panel_.trace.value(cell);
      const ImU32 ink = isHidden(panel_.trace, cell) ? look_.theme.textMuted
                                                     : legibleOn(scale.color(look_.maps, value));
      numbers_.push_back({{a.x + (static_cast<float>(c) + 0.5F) * width, (a.y + b.y) * 0.5F},
                          ink,
                          cellNumber(value, decimals)});
    }
  }

  /// "q_3 K_1^T/√64": with what the scores are divided by.
  std::string scoreSymbol() const {
    const auto index = [this](Index head) {
      return every_ ? std::string("_h") : fmt::format("_{{{}}}", head + 1);
    };
    std::string symbol =
        fmt::format("q{} K{}^T", index(panel_.view.head), index(config_.kvHead(panel_.view.head)));
    if (config_.scale) symbol += fmt::format("/√{}", config_.dK());
    if (config_.temperature != 1.0) symbol += fmt::format("/{:g}", config_.temperature);
    return symbol;
  }

  void newRows(ImVec2 at, float width);
  void drawLegend(float x, float y, float width);

  const Panel& panel_;
  const Look& look_;
  const AttentionConfig& config_;
  MatrixPieces pieces_;
  ImDrawList* list_;
  ImVec2 origin_, room_;
  Index now_;
  const std::vector<std::string>& tokens_;
  bool every_;
  float top_ = 0, cell_ = 0, height_ = 0;
  std::vector<Frame> frames_;
  std::vector<Number> numbers_;
};

/// Scores, weights, the head's output and the layer's, one row each: below its name, or beside it
/// where there is little height.
void Picture::newRows(ImVec2 at, float width) {
  const Theme& t = look_.theme;
  const bool beside = room_.y < look_.px(200);
  const float title = beside ? 0.0F : look_.px(20);
  const float names = beside ? look_.px(88) : 0.0F;
  const float gap = look_.px(5);
  const float cell = std::min((width - names) / static_cast<float>(config_.seqLen), look_.px(64));
  const float across = cell * static_cast<float>(config_.seqLen);
  const bool turned = labelWidth(look_.fonts.tiny, tokens_, cell) > cell - 3.0F;
  const float keys = look_.px(turned ? 30 : 17);
  const ImU32 head = headColor(t, static_cast<std::size_t>(panel_.view.head));
  const std::string index = every_ ? "_h" : fmt::format("_{{{}}}", panel_.view.head + 1);
  const float free = room_.y - 4 * title - 3 * gap - keys;
  // all heads stand one below the other in scores and weights
  const float even = std::clamp(free / 4, look_.px(5), look_.px(32));
  const float thin = every_ ? std::min(even, look_.px(12)) : even;
  const float tall = every_ ? std::max(even, (free - 2 * thin) / 2) : even;

  float y = at.y;
  const auto bar = [&](TensorId tensor, const std::string& symbol, const Shape& shape, ImU32 color,
                       float height, bool overKeys) {
    if (beside) {
      const float middle = y + (height - fontSize(look_.fonts.regular)) * 0.5F;
      drawTitle({at.x, middle}, 0.0F, color, symbol, {});
    } else {
      drawTitle({at.x, y}, width, color, symbol, toString(shape));
    }
    y += title;
    const float right = overKeys ? at.x + names + across : at.x + width;
    rowBar(tensor, {at.x + names, y}, {right, y + height}, overKeys);
    y += height + gap;
  };
  const Shape rows{every_ ? config_.numHeads : 1, now_ + 1};
  bar(TensorId::maskedScores, scoreSymbol(), rows, t.accentText, tall, true);
  bar(TensorId::weights, fmt::format("softmax = a{}", index), rows, t.accentText, tall, true);
  drawColumnLabels(list_, tokens_, {at.x + names, y - look_.px(3)}, cell, keys - look_.px(4),
                   {look_.fonts.tiny, t.textMuted, t.queryText, now_});
  y += keys - gap;
  if (every_) {
    bar(TensorId::concat, "concat", {1, config_.dModel}, t.text, thin, false);
  } else {
    bar(TensorId::heads, fmt::format("head{} = a V", index), {1, config_.dK()}, head, thin, false);
  }
  bar(TensorId::output, every_ && !beside ? "output = concat W^O" : "output", {1, config_.dModel},
      t.outputText, thin, false);
}

/// What the three kinds of rows are, as far as there is room.
void Picture::drawLegend(float x, float y, float width) {
  const Theme& t = look_.theme;
  const float side = look_.px(10);
  const float right = x + width + look_.px(10);
  ImFont* font = look_.fonts.tiny;
  const auto entry = [&](const char* text, auto&& swatch) {
    const float length = side + look_.px(5) + textSize(font, text).x;
    if (x + length > right) return;
    swatch(ImVec2(x, y), ImVec2(x + side, y + side));
    drawText(list_, font, {x + side + look_.px(5), y + (side - fontSize(font)) * 0.5F}, t.textMuted,
             text);
    x += length + look_.px(9);
  };
  entry("new", [&](ImVec2 a, ImVec2 b) { list_->AddRect(a, b, t.keyText, 0, 0, look_.px(2)); });
  entry("cached", [&](ImVec2 a, ImVec2 b) { list_->AddRectFilled(a, b, withAlpha(t.key, 0.35F)); });
  entry("not kept", [&](ImVec2 a, ImVec2 b) { list_->AddRectFilled(a, b, t.fieldActive); });
  entry("to come", [&](ImVec2 a, ImVec2 b) {
    list_->AddRectFilled(a, b, t.maskedFill);
    list_->AddLine({a.x, b.y}, {b.x, a.y}, t.hatch, look_.px(1));
    list_->AddRect(a, b, t.hatch);
  });
}

}  // namespace

void kvCachePicture(const Panel& panel, Magnitudes& magnitudes, ImVec2 origin, ImVec2 room) {
  Picture(panel, magnitudes, origin, room).draw();
}

}  // namespace headscope::ui
