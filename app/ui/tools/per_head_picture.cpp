#include "app/ui/tools/per_head_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/reduce.h"
#include "app/ui/rich_text.h"
#include "app/ui/tools/matrix_pieces.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// A head's own result as a heatmap; where cells fall together, the one of the largest magnitude.
gl::HeatmapSource headSource(const Tensor& head, Index item, std::uint64_t key,
                             std::uint64_t revision, ImVec2 pixels) {
  const auto fitting = [](Index cells, float length) {
    return static_cast<int>(std::clamp<Index>(static_cast<Index>(length), 1, cells));
  };
  gl::HeatmapSource source;
  source.key = key;
  source.revision = revision;
  source.rows = fitting(head.dim(1), pixels.y);
  source.cols = fitting(head.dim(2), pixels.x);
  source.fill = [head, item, rows = source.rows, cols = source.cols](float* out) {
    const ConstMatrixView values = head.matrix({item});
    const auto read = [&values](Index row, std::span<float> cells) {
      std::ranges::copy(values.row(row), cells.begin());
    };
    largestReduce({values.rows, values.cols, read}, rows, cols, out);
  };
  return source;
}

/// The heads' tiles: as many as fit, in rows.
struct Tiles {
  Index columns = 1, rows = 1, shown = 1;
  ImVec2 size;  // of one, with the gaps
};

Tiles layoutTiles(Index heads, ImVec2 room, ImVec2 least) {
  Tiles tiles;
  const auto most = [](float length, float each) {
    return std::max<Index>(1, static_cast<Index>(length / each));
  };
  tiles.columns = std::min(heads, most(room.x, least.x));
  tiles.rows = std::min((heads + tiles.columns - 1) / tiles.columns, most(room.y, least.y));
  tiles.columns = std::min(tiles.columns, (heads + tiles.rows - 1) / tiles.rows);
  tiles.shown = std::min(heads, tiles.columns * tiles.rows);
  tiles.size = {std::min(room.x / static_cast<float>(tiles.columns), room.x * 0.5F),
                room.y / static_cast<float>(tiles.rows)};
  return tiles;
}

class Picture {
 public:
  Picture(const Panel& panel, Magnitudes& magnitudes, const PerHeadResults& results)
      : panel_(panel),
        look_(panel.look),
        config_(panel.trace.config()),
        results_(results),
        names_(perHeadNames(results.part, config_)),
        pieces_(panel, magnitudes),
        list_(ImGui::GetWindowDrawList()),
        heads_(results.part == TensorId::q ? config_.numHeads : config_.numKvHeads),
        tokens_(laneTokens(panel.trace, results.part == TensorId::q ? Lane::query : Lane::key,
                           panel.view.item)) {}

  void draw(ImVec2 origin, ImVec2 room) {
    const float title = look_.px(22);
    const float gap = look_.px(24);
    const float left = room.x * 0.5F - gap * 0.5F;
    drawTogether(origin, {left, room.y}, title);
    const ImVec2 right(origin.x + left + gap, origin.y);
    list_->AddLine({right.x - gap * 0.5F, origin.y}, {right.x - gap * 0.5F, origin.y + room.y},
                   look_.theme.divider);
    drawHeads(right, {room.x - left - gap, room.y}, title);
    pieces_.draw(list_);
    for (const Frame& f : frames_) list_->AddRect(f.a, f.b, f.color, 0, 0, look_.px(f.width));
    pieces_.pick();
  }

 private:
  struct Frame {
    ImVec2 a, b;
    ImU32 color;
    float width;
  };

  MatrixRef whole(TensorId tensor) const {
    MatrixRef ref = wholeMatrix(tensor, config_, panel_.view.item, panel_.view.head);
    ref.transposed = tensor == names_.weight;  // stored (out, in), shown as X · W
    return ref;
  }
  Index chosen() const {
    return results_.part == TensorId::q ? panel_.view.head : config_.kvHead(panel_.view.head);
  }
  ImU32 colorOf(Index head) const { return headColor(look_.theme, static_cast<std::size_t>(head)); }
  std::string symbol(TensorId tensor) const { return std::string(info(tensor).symbol); }

  void drawTitle(ImVec2 at, float width, const std::string& text, const std::string& after) {
    const ImVec2 size = richTextSize(look_.fonts, look_.fonts.semibold, text);
    drawRichText(list_, look_.fonts, look_.fonts.semibold, at, look_.theme.text, text);
    const float left = size.x + look_.px(6);
    ImFont* mono = look_.fonts.monoSmall;
    if (left + textSize(mono, after).x > width) return;
    drawText(list_, mono, {at.x + left, at.y + (size.y - fontSize(mono)) * 0.6F},
             look_.theme.textMuted, after);
  }

  /// A colour for each head's columns, above them; numbered where they are wide enough.
  void drawStrip(ImVec2 at, float width) {
    const float each = width / static_cast<float>(heads_);
    const float height = look_.px(4);
    const auto shown = std::min<Index>(heads_, static_cast<Index>(width));
    for (Index s = 0; s < shown; ++s) {
      const Index h = s * heads_ / shown;
      const float x = at.x + each * static_cast<float>(h);
      const float gap = each > look_.px(4) ? look_.px(1) : 0.0F;
      list_->AddRectFilled({x, at.y}, {x + std::max(each - gap, 1.0F), at.y + height}, colorOf(h));
    }
  }

  void outlineChosen(ImVec2 a, ImVec2 b) {
    const float each = (b.x - a.x) / static_cast<float>(heads_);
    const float x = a.x + each * static_cast<float>(chosen());
    frames_.push_back({{x - 1, a.y - 1}, {x + each + 1, b.y + 1}, colorOf(chosen()), 2});
  }

  /// X · W = Q, all heads at once.
  void drawTogether(ImVec2 origin, ImVec2 room, float title) {
    const float strip = look_.px(7);
    const float sign = look_.px(22);
    const float labels = labelWidth(look_.fonts.small, tokens_, look_.px(56)) + look_.px(7);
    const float width = std::max(room.x - labels - 2 * sign, look_.px(60));
    const float side = width * 0.28F;
    const float top = origin.y + title + strip;
    const float deep = std::max(room.y - title - strip, look_.px(20));
    const auto rows = static_cast<float>(tokens_.size());
    const float cell = std::min(deep / rows, look_.px(26));
    const float high = cell * rows;
    const float y = top + (deep - high) * 0.5F;

    const auto matrix = [&](TensorId tensor, ImVec2 a, ImVec2 b) {
      const MatrixRef ref = whole(tensor);
      drawTitle({a.x, origin.y}, b.x - a.x, symbol(tensor),
                toString(Shape{ref.shownRows(), ref.shownCols()}));
      pieces_.add(ref, a, b);
      frames_.push_back({a, b, look_.theme.panelBorder, 1});
    };
    const auto mark = [&](ImVec2 a, ImVec2 b) {
      drawStrip({a.x, a.y - strip}, b.x - a.x);
      outlineChosen(a, b);
    };
    const auto signAt = [&](float x, const char* text) {
      drawTextCentred(list_, look_.fonts.title, {x + sign * 0.5F, top + deep * 0.5F},
                      look_.theme.textMuted, text);
    };
    float x = origin.x + labels;
    drawRowLabels(list_, tokens_, {x - look_.px(6), y}, cell, look_.px(56),
                  {look_.fonts.small, look_.theme.textMuted, look_.theme.text});
    matrix(names_.input, {x, y}, {x + side, y + high});
    x += side;
    signAt(x, "×");
    x += sign;
    const float weight = width - 2 * side;
    matrix(names_.weight, {x, top}, {x + weight, top + deep});
    mark({x, top}, {x + weight, top + deep});
    x += weight;
    signAt(x, "=");
    x += sign;
    matrix(names_.result, {x, y}, {x + side, y + high});
    mark({x, y}, {x + side, y + high});
  }

  /// W_h and, below it, Q_h for each head.
  void drawHeads(ImVec2 origin, ImVec2 room, float title) {
    const Tiles tiles = layoutTiles(heads_, {room.x, room.y - title}, {look_.px(26), look_.px(30)});
    const bool weights = tiles.size.y >= look_.px(76);
    const std::string q = symbol(names_.result);
    const std::string text = fmt::format("{}_h = {} {}_h{}", q, symbol(names_.input),
                                         symbol(names_.weight), config_.bias ? " + b_h" : "");
    std::string after =
        fmt::format("{} × {}", heads_, toString(Shape{whole(names_.input).cols, config_.dK()}));
    if (tiles.shown < heads_) after = fmt::format("the first {} of {}", tiles.shown, heads_);
    drawTitle(origin, room.x, text, after);
    for (Index h = 0; h < tiles.shown; ++h) {
      const ImVec2 at(origin.x + tiles.size.x * static_cast<float>(h % tiles.columns),
                      origin.y + title + tiles.size.y * static_cast<float>(h / tiles.columns));
      drawTile(h, at, tiles.size, weights);
    }
  }

  void drawTile(Index head, ImVec2 at, ImVec2 size, bool weights) {
    const float gap = look_.px(6);
    const float name = fontSize(look_.fonts.tiny) + look_.px(1);
    const ImVec2 end(at.x + size.x - gap, at.y + size.y - gap);
    drawText(list_, look_.fonts.tiny, at, colorOf(head), std::to_string(head + 1));
    float y = at.y + name;
    if (weights) {
      MatrixRef ref = whole(names_.weight);
      ref.row0 = head * config_.dK();
      ref.rows = config_.dK();
      const float bottom = y + (end.y - y) * 0.6F;
      pieces_.add(ref, {at.x, y}, {end.x, bottom});
      frames_.push_back({{at.x, y}, {end.x, bottom}, look_.theme.panelBorder, 1});
      y = bottom + look_.px(6);
    }
    drawOwnResult(head, {at.x, y}, end);
    const bool isChosen = head == chosen();
    frames_.push_back({{at.x, y},
                       end,
                       isChosen ? colorOf(head) : look_.theme.panelBorder,
                       isChosen ? 2.0F : 1.0F});
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end) &&
        ImGui::IsMouseClicked(0)) {
      panel_.view.head = results_.part == TensorId::q ? head : head * config_.headsPerGroup();
    }
  }

  /// What was computed from W_h alone, in the colours of Q; empty until it is there.
  void drawOwnResult(Index head, ImVec2 a, ImVec2 b) {
    list_->AddRectFilled(a, b, look_.theme.field);
    if (results_.measured == nullptr) return;
    const Tensor& own = results_.measured->perHead[static_cast<std::size_t>(head)];
    const float pixels = look_.scene.pixelsPerPoint;
    const auto key = (std::uint64_t{0x70726864} << 32U) +
                     (static_cast<std::uint64_t>(panel_.view.item) << 18U) +
                     static_cast<std::uint64_t>(head);
    pieces_.addValues(headSource(own, panel_.view.item, key, results_.revision,
                                 {(b.x - a.x) * pixels, (b.y - a.y) * pixels}),
                      pieces_.scaleOf(whole(names_.result)), a, b);
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(a, b)) return;
    const ConstMatrixView values = own.matrix({panel_.view.item});
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto cellAt = [](float offset, float length, Index count) {
      return std::clamp<Index>(static_cast<Index>(offset / length * static_cast<float>(count)), 0,
                               count - 1);
    };
    const Index r = cellAt(mouse.y - a.y, b.y - a.y, values.rows);
    const Index c = cellAt(mouse.x - a.x, b.x - a.x, values.cols);
    ImGui::SetTooltip("head %lld, row %lld, column %lld = %s\ncomputed from this head's matrix",
                      static_cast<long long>(head + 1), static_cast<long long>(r),
                      static_cast<long long>(c), number(values(r, c), 6).c_str());
  }

  const Panel& panel_;
  const Look& look_;
  const AttentionConfig& config_;
  const PerHeadResults& results_;
  PerHeadNames names_;
  MatrixPieces pieces_;
  ImDrawList* list_;
  Index heads_;
  const std::vector<std::string>& tokens_;
  std::vector<Frame> frames_;
};

}  // namespace

PerHeadNames perHeadNames(TensorId part, const AttentionConfig& c) {
  const TensorId source = c.crossAttention() ? TensorId::memory : TensorId::x;
  if (part == TensorId::k) return {source, TensorId::wK, TensorId::bK, TensorId::kProj};
  if (part == TensorId::v) return {source, TensorId::wV, TensorId::bV, TensorId::vProj};
  return {TensorId::x, TensorId::wQ, TensorId::bQ, TensorId::qProj};
}

void perHeadPicture(const Panel& panel, Magnitudes& magnitudes, const PerHeadResults& results,
                    ImVec2 origin, ImVec2 room) {
  Picture(panel, magnitudes, results).draw(origin, room);
}

}  // namespace headscope::ui
