// Combined or per head: one projection matrix for all heads next to one matrix for each head, both
// computed and timed, with their largest difference.
#include "core/analysis/per_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/hover.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix_picture.h"
#include "app/ui/selection.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// A projection (of q, k or v): its tensors and the result of its comparison.
struct Projection {
  TensorId part = TensorId::q;
  TensorId input = TensorId::x, weight = TensorId::wQ, bias = TensorId::bQ,
           result = TensorId::qProj;
  Index heads = 1;
};

Projection projectionOf(TensorId part, const AttentionConfig& c) {
  const TensorId source = c.crossAttention() ? TensorId::memory : TensorId::x;
  if (part == TensorId::k) {
    return {part, source, TensorId::wK, TensorId::bK, TensorId::kProj, c.numKvHeads};
  }
  if (part == TensorId::v) {
    return {part, source, TensorId::wV, TensorId::bV, TensorId::vProj, c.numKvHeads};
  }
  return {TensorId::q, TensorId::x, TensorId::wQ, TensorId::bQ, TensorId::qProj, c.numHeads};
}

std::string differenceInWords(const PerHeadComparison& c) {
  if (c.largestDifference == 0.0) return tr("largest difference 0: the same, bit for bit");
  const std::string found = trFormat("largest difference {} of values up to {}",
                                     nearZeroText(c.largestDifference), number(c.largestValue, 3));
  return found + (c.agrees() ? tr(": rounding, since the sums are added in another order")
                             : tr(": more than rounding"));
}

std::string timesInWords(const PerHeadComparison& c) {
  const std::size_t heads = c.perHead.size();
  const std::string runs =
      c.runs == 1 ? tr("one run") : trFormat("the best of {} runs", withThousands(c.runs));
  return trFormat("combined {} ms · {} {} ms · {}", number(c.togetherMs, 3),
                  counted(static_cast<Index>(heads), tr("{} head"), tr("{} heads one by one")),
                  number(c.perHeadMs, 3), runs);
}

/// The layout of the heads' tiles in rows: as many as fit.
struct PerHeadTiles {
  Index columns = 1, rows = 1, shown = 1;

  PerHeadTiles(Index heads, const Rect& room, ImVec2 least)
      : columns(std::min(heads, most(room.width(), least.x))) {
    rows = std::min((heads + columns - 1) / columns, most(room.height(), least.y));
    columns = std::min(columns, (heads + rows - 1) / rows);
    shown = std::min(heads, columns * rows);
  }
  static Index most(float length, float each) {
    return std::max<Index>(1, static_cast<Index>(length / each));
  }
};

/// The picture: X · W = Q with every head's columns marked, and for each head its W_h with the Q_h
/// computed from it alone.
class PerHeadPicture {
 public:
  PerHeadPicture(const PanelContext& panel, Magnitudes& magnitudes, const Projection& projection,
                 const PerHeadComparison* measured, const Fingerprint& measurement)
      : panel_(panel),
        look_(panel.look),
        config_(panel.trace.config()),
        projection_(projection),
        measured_(measured),
        measurement_(measurement),
        picture_(panel, magnitudes),
        list_(ImGui::GetWindowDrawList()) {}

  void draw(Rect room) {
    const float gap = look_.space.wide;
    const Rect left = room.cutLeft((room.width() - gap) * 0.5F, gap);
    drawTogether(left);
    const float middle = room.a.x - gap * 0.5F;
    list_->AddLine({middle, room.a.y}, {middle, room.b.y}, look_.theme.divider);
    drawHeads(room);
    picture_.draw(list_);
  }

 private:
  MatrixRef whole(TensorId tensor) const {
    MatrixRef ref = wholeMatrix(tensor, config_, panel_.selection.item, panel_.selection.head);
    ref.transposed = tensor == projection_.weight;  // stored (out, in), shown as X · W
    return ref;
  }
  bool ofQueries() const { return projection_.part == TensorId::q; }
  Index chosen() const {
    return ofQueries() ? panel_.selection.head : config_.kvHead(panel_.selection.head);
  }
  ImU32 colorOf(Index head) const { return headColor(look_.theme, static_cast<std::size_t>(head)); }
  std::string symbol(TensorId tensor) const { return std::string(info(tensor).symbol); }
  float titleHeight() const { return fontSize(look_.fonts.semibold) + look_.space.medium; }
  void title(ImVec2 at, float width, const std::string& text, const std::string& after) {
    drawMatrixTitle(look_, list_, at, width, look_.fonts.semibold, look_.theme.text, text, after);
  }

  /// Draws X · W = Q, all heads at once.
  void drawTogether(Rect room) {
    const float top = room.a.y;
    const float strip = look_.space.small;
    room.cutTop(titleHeight() + strip);
    AxisLabels tokens;
    tokens.texts =
        laneTokens(panel_.trace, ofQueries() ? Lane::query : Lane::key, panel_.selection.item);
    tokens.font = look_.fonts.small;
    tokens.color = look_.theme.textMuted;
    tokens.limit = look_.px(56);
    tokens.curves = laneCurves(look_, panel_.trace, Lane::query, panel_.selection.item);
    room.cutLeft(tokens.width(), look_.space.small);
    const float sign = look_.space.wide;
    const float side = std::max(room.width() - 2 * sign, look_.px(60)) * 0.28F;
    const auto rows = static_cast<float>(whole(projection_.input).rows);
    const float high = std::min(room.height(), rows * look_.px(26));

    const auto matrix = [&](TensorId tensor, const Rect& at, bool headColumns) {
      const MatrixRef ref = whole(tensor);
      title({at.a.x, top}, at.width(), symbol(tensor),
            toString(Shape{ref.shownRows(), ref.shownCols()}));
      picture_.add(ref, at);
      picture_.frame(at, look_.theme.panelBorder);
      if (headColumns) markHeads(at, strip);
    };
    const auto signAt = [&](const Rect& at, const char* text) {
      drawTextCentred(list_, look_.fonts.title, at.centre(), look_.theme.textMuted, text);
    };
    const Rect input = room.cutLeft(side).placed({side, high}, 0.0F);
    drawRowLabels(list_, tokens, input, look_.space.small);
    matrix(projection_.input, input, false);
    signAt(room.cutLeft(sign), "×");
    const Rect result = room.cutRight(side).placed({side, high}, 0.0F);
    signAt(room.cutRight(sign), "=");
    matrix(projection_.weight, room, true);
    matrix(projection_.result, result, true);
  }

  /// Draws a colour above each head's columns; frames the chosen head's.
  void markHeads(const Rect& at, float strip) {
    const auto heads = static_cast<float>(projection_.heads);
    const float each = at.width() / heads;
    const Index shown = std::min<Index>(projection_.heads, static_cast<Index>(at.width()));
    const float gap = each > look_.space.tight ? look_.space.hair : 0.0F;
    for (Index s = 0; s < shown; ++s) {
      const Index h = s * projection_.heads / shown;
      const float x = at.a.x + each * static_cast<float>(h);
      list_->AddRectFilled({x, at.a.y - strip},
                           {x + std::max(each - gap, 1.0F), at.a.y - strip * 0.4F}, colorOf(h));
    }
    const float x = at.a.x + each * static_cast<float>(chosen());
    picture_.frame(Rect{{x, at.a.y}, {x + each, at.b.y}}.outset(1.0F), colorOf(chosen()), 2.0F);
  }

  /// Draws W_h and, below it, Q_h for each head.
  void drawHeads(Rect room) {
    const Rect line = room.cutTop(titleHeight());
    const PerHeadTiles tiles(projection_.heads, room, {look_.px(26), look_.px(30)});
    const std::string q = symbol(projection_.result);
    const std::string text =
        fmt::format("{}_h = {} {}_h{}", q, symbol(projection_.input), symbol(projection_.weight),
                    config_.switches->bias ? " + b_h" : "");
    const std::string shape = toString(Shape{whole(projection_.input).cols, config_.dK()});
    title(line.a, line.width(), text,
          tiles.shown < projection_.heads
              ? trFormat("the first {} of {}", tiles.shown, projection_.heads)
              : fmt::format("{} × {}", projection_.heads, shape));
    const ImVec2 size(
        std::min(room.width() / static_cast<float>(tiles.columns), room.width() * 0.5F),
        room.height() / static_cast<float>(tiles.rows));
    for (Index h = 0; h < tiles.shown; ++h) {
      const ImVec2 at(room.a.x + size.x * static_cast<float>(h % tiles.columns),
                      room.a.y + size.y * static_cast<float>(h / tiles.columns));
      drawTile(h, Rect::at(at, {size.x - look_.space.small, size.y - look_.space.small}),
               size.y >= look_.px(76));
    }
  }

  void drawTile(Index head, Rect tile, bool weights) {
    const Rect all = tile;
    const bool isChosen = head == chosen();
    ImFont* tiny = look_.fonts.tiny;
    drawText(list_, tiny, tile.cutTop(fontSize(tiny), look_.space.hair).a, colorOf(head),
             std::to_string(head + 1));
    if (weights) {
      MatrixRef ref = whole(projection_.weight);
      ref.row0 = head * config_.dK();
      ref.rows = config_.dK();
      const Rect at = tile.cutTop(tile.height() * 0.6F, look_.space.small);
      picture_.add(ref, at);
      picture_.frame(at, look_.theme.panelBorder);
    }
    drawOwnResult(head, tile);
    picture_.frame(tile, isChosen ? colorOf(head) : look_.theme.panelBorder,
                   isChosen ? 2.0F : 1.0F);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(all.a, all.b) &&
        ImGui::IsMouseClicked(0)) {
      panel_.selection.head = ofQueries() ? head : head * config_.headsPerGroup();
    }
  }

  /// Draws the result computed from W_h alone, in the colours of Q; an empty field until it is
  /// ready.
  void drawOwnResult(Index head, const Rect& at) {
    list_->AddRectFilled(at.a, at.b, look_.theme.field);
    if (measured_ == nullptr) return;
    const Tensor own = measured_->perHead[static_cast<std::size_t>(head)];
    const ConstMatrixView values = own.matrix({panel_.selection.item});
    const auto read = [own, values](Index row, std::span<float> cells) {
      std::ranges::copy(values.row(row), cells.begin());
    };
    picture_.heatmaps().add(Fingerprint("per head", panel_.selection.item, head), measurement_,
                            {values.rows, values.cols, read},
                            picture_.scaleOf(whole(projection_.result)), at);
    const auto cell = MatrixPlace{at, values.rows, values.cols}.hovered();
    if (!cell) return;
    showTooltip(trFormat("head {}, row {}, column {} = {}\ncomputed from this head's matrix",
                         head + 1, cell->row, cell->col, number(values(cell->row, cell->col), 6)),
                at);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const AttentionConfig& config_;
  const Projection& projection_;
  const PerHeadComparison* measured_;
  const Fingerprint& measurement_;
  MatrixPicture picture_;
  ImDrawList* list_;
};

class PerHeadTool final : public Card {
 public:
  PerHeadTool()
      : Card({"perhead", tr("Combined or per head"),
              tr("one matrix for all heads, or one for each: the same numbers"), 'P'}) {}

  void draw(const PanelContext& panel) override {
    const Trace& trace = panel.trace;
    const Projection p = projectionOf(panel.selection.part, trace.config());
    // the figures are valid while the operands stay the same
    const Fingerprint key("per head", p.part, p.heads, trace.revision(p.input),
                          trace.revision(p.weight), trace.revision(p.bias),
                          trace.config().switches->bias, asked_);
    const auto comparison =
        panel.computations.request<PerHeadComparison>("per head", key, Schedule::background, [&] {
          return
              [operands = projectionOperands(trace, p.part)](const std::atomic<bool>& cancelled) {
                return comparePerHead(operands, {0, &cancelled});
              };
        });
    controls(panel, p, comparison);
    ImGui::Dummy({1, panel.look.space.thin});
    PerHeadPicture(panel, panel.magnitudes, p, comparison.current, key).draw(Rect::rest());
  }

 private:
  /// Draws the choice of projection, its figures, and the button that measures again.
  void controls(const PanelContext& panel, const Projection& p,
                const Computed<PerHeadComparison>& comparison) {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const int chosen = p.part == TensorId::k ? 1 : p.part == TensorId::v ? 2 : 0;
    const int clicked = choices(look, "per head part", {"Q", "K", "V"}, chosen);
    if (clicked >= 0) panel.selection.part = kParts[clicked];
    ImGui::SameLine(0.0F, look.space.medium);
    const PerHeadComparison* c = comparison.current;
    const bool busy = c == nullptr && comparison.problem.empty();
    if (pill(look, tr("measure again"), false, !busy)) ++asked_;
    ImGui::SameLine(0.0F, look.space.large);

    ImFont* font = look.fonts.small;
    const Rect room = Rect::at(ImGui::GetCursorScreenPos(),
                               {ImGui::GetContentRegionAvail().x, ImGui::GetFrameHeight()});
    const float line = fontSize(font) + look.space.hair;
    const auto write = [&](float lines, ImU32 color, std::string_view text) {
      drawText(ImGui::GetWindowDrawList(), font, {room.a.x, room.centre().y + lines * line}, color,
               wholeParts(font, text, room.width()));
    };
    if (c != nullptr) {
      write(-1.0F, c->agrees() ? t.good : t.bad, differenceInWords(*c));
      write(0.0F, t.text, timesInWords(*c));
    } else {
      write(-0.5F, busy ? t.textMuted : t.bad, busy ? tr("measuring…") : comparison.problem);
    }
    ImGui::Dummy(room.size());
    if (c != nullptr) tip(look, differenceInWords(*c) + "\n" + timesInWords(*c));
  }

  int asked_ = 0;  // the number of repeated measurements
};

}  // namespace

std::unique_ptr<Card> makePerHeadTool() { return std::make_unique<PerHeadTool>(); }

}  // namespace headscope::ui
