// Output matrix: each head's rows of W^O, and its share of every token's output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/effects.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix_picture.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr Index kMostPieces = 6000;  // the most rectangles per frame

/// Draws the shares of every head and of the bias, "1  0.213", in as many columns as fit.
void shareList(const PanelContext& panel, const std::vector<double>& shares) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 cell(look.px(80), fontSize(look.fonts.small) + look.px(3));
  const auto columns =
      std::max<std::size_t>(1, static_cast<std::size_t>(ImGui::GetContentRegionAvail().x / cell.x));
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool bias = i + 1 == shares.size();
    const Rect place = Rect::at({at.x + static_cast<float>(i % columns) * cell.x,
                                 at.y + static_cast<float>(i / columns) * cell.y},
                                cell);
    if (!bias && static_cast<Index>(i) == panel.selection.head) {
      list->AddRectFilled({place.a.x - look.px(3), place.a.y - look.space.hair},
                          {place.b.x - look.space.medium, place.b.y - look.space.hair},
                          t.accentSoft, look.px(3));
    }
    drawRichText(list, look.fonts, look.fonts.small, place.a, bias ? t.textMuted : headColor(t, i),
                 bias ? "b_O" : std::to_string(i + 1));
    drawText(list, look.fonts.monoSmall, {place.a.x + look.px(28), place.a.y + look.space.hair},
             t.text, cellNumber(shares[i], 3));
  }
  const std::size_t rows = (shares.size() + columns - 1) / columns;
  ImGui::Dummy({1, static_cast<float>(rows) * cell.y});
}

void shareWords(const PanelContext& panel, const HeadEffects* effects) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  richLabel(look.fonts, look.fonts.small, t.text, kOutputFormula, look.space.tight);
  richLabel(look.fonts, look.fonts.small, t.textMuted,
            "share_h = (head_h W^O_h) · output / ‖output‖^2", look.space.tight);
  if (effects == nullptr) return;
  const Index token = chosenToken(panel);
  const std::vector<double> shares = sharesOf(*effects, token);
  wrappedLabel(look.fonts.small, shares.empty() ? t.bad : t.text,
               sharesInWords(headsState(panel), shares, token));
  shareList(panel, shares);
}

/// Returns a head's block of W^O. W_O is stored (out, in): its columns h·d_k … are rows of W^O.
MatrixRef outputBlockOf(const AttentionConfig& c, Index head) {
  MatrixRef ref = wholeMatrix(TensorId::wO, c, 0, 0);
  ref.col0 = head * c.dK();
  ref.cols = c.dK();
  ref.transposed = true;
  return ref;
}

/// Draws the row blocks of W^O, one under another, each with its norm. A click chooses the head.
void outputBlocks(const PanelContext& panel, Magnitudes& magnitudes, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ImFont* font = look.fonts.small;
  ImFont* mono = look.fonts.monoSmall;
  const auto* found = panel.computations.computeNow<std::vector<double>>(
      "norms of output blocks",
      Fingerprint("norms", panel.trace.revision(TensorId::wO), c.numHeads),
      [&] { return outputBlockNorms(panel.trace); });
  if (found == nullptr) return;
  const std::vector<double>& norms = *found;
  const double largest = std::max(*std::max_element(norms.begin(), norms.end()), 1e-300);
  const float bars = std::min(look.px(70), room.width() * 0.16F);
  const float figures = textSize(mono, number(largest, 3)).x + look.space.large;
  const float right = bars + figures + look.space.medium;  // the room for a block's norm
  const float left = textSize(font, "128").x + look.space.medium;
  const Rect caption = room.cutTop(fontSize(font) + look.space.small);
  std::string rows = trFormat("rows of W^O, ({}, {}) per head", c.dK(), c.dModel);
  if (richTextSize(look.fonts, font, rows).x > room.width() - right) rows = tr("rows of W^O");
  ImDrawList* outer = ImGui::GetWindowDrawList();
  drawRichText(outer, look.fonts, font, caption.a, t.text, rows);
  drawRichText(outer, look.fonts, font, {room.b.x - right + look.space.medium, caption.a.y}, t.text,
               "‖W^O_h‖");

  ImGui::SetCursorScreenPos(room.a);
  beginPart("blocks", room.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto count = static_cast<float>(c.numHeads);
  const float line =
      std::clamp(room.height() / count, fontSize(font) + look.space.thin, look.px(60));
  const bool scrolls = line * count > room.height() + 1.0F;
  const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize + look.space.thin : 0.0F;
  const Rect all = Rect::at(ImGui::GetCursorScreenPos(), {room.width() - bar, line * count});
  const ColorScale scale = divergingScale(look, magnitudes.of(panel.trace, TensorId::wO, -1, -1));
  MatrixPicture picture(panel, magnitudes);
  for (Index h = 0; h < c.numHeads; ++h) {
    const Rect row = all.row(static_cast<int>(h), static_cast<int>(c.numHeads), 0.0F);
    if (row.a.y > room.b.y || row.b.y < room.a.y) continue;
    const auto i = static_cast<std::size_t>(h);
    const ImU32 color = headColor(t, i);
    const Rect block{{row.a.x + left, row.a.y + 1}, {row.b.x - right, row.b.y - 1}};
    if (h == panel.selection.head) {
      list->AddRectFilled(row.a, row.b, t.accentSoft, look.px(3));
      picture.frame(block.outset(1.0F), color, 1.5F);
    }
    const Rect name{row.a, {block.a.x - look.space.small, row.b.y}};
    const std::string text = std::to_string(h + 1);
    drawText(list, font, name.placed(textSize(font, text), 1.0F).a, color, text);
    picture.add(outputBlockOf(c, h), scale, block);
    const float length = bars * static_cast<float>(norms[i] / largest);
    const float thick = std::min(line * 0.35F, look.space.small);
    const ImVec2 start(block.b.x + look.space.medium, row.centre().y);
    list->AddRectFilled({start.x, start.y - thick}, {start.x + length, start.y + thick},
                        withAlpha(color, 0.8F), look.space.thin);
    drawText(list, mono, {start.x + length + look.space.tight, start.y - fontSize(mono) * 0.5F},
             t.text, number(norms[i], 3));
  }
  picture.draw(list);
  ImGui::SetCursorScreenPos(all.a);
  if (pictureArea("blocks", all.size())) {
    panel.selection.head = MatrixPlace{all, c.numHeads, 1}.nearest(ImGui::GetIO().MousePos).row;
  }
  ImGui::EndChild();
}

/// Draws a stack of shares in its place; pieces have outlines where they have room.
void drawStack(const PanelContext& panel, const Chart& chart, const Rect& band,
               const std::vector<double>& shares) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const StackPiece& piece : stackOf(shares)) {
    const Rect at{{band.a.x, chart.at(0.0, std::max(piece.from, piece.to)).y},
                  {band.b.x, chart.at(0.0, std::min(piece.from, piece.to)).y}};
    if (at.height() < 0.25F) continue;
    const bool bias = piece.part + 1 == shares.size();
    const bool chosen = !bias && static_cast<Index>(piece.part) == panel.selection.head;
    const ImU32 color = bias ? t.textMuted : headColor(t, piece.part);
    list->AddRectFilled(at.a, at.b, withAlpha(color, 0.85F));
    const bool alone = panel.trace.config().numHeads == 1;
    if (alone || at.height() < look.space.tight || at.width() < look.space.small) continue;
    list->AddRect(at.a, at.b, chosen ? t.text : t.panel, 0, 0, look.px(chosen ? 2.0F : 0.5F));
  }
}

/// Draws stacks of shares, one per token; heads that act against the output are below 0. A click
/// chooses the token, and the head whose share is there.
void shareStacks(const PanelContext& panel, const ChartBars& bars, const ShareBars& shares,
                 Rect room) {
  const FrameContext& look = panel.look;
  std::string title = tr("share of each token's output, by head");
  if (bars.several())
    title += trFormat(" · a bar is the mean of {} tokens", withThousands(bars.perBar));
  drawChartTitle(look, room, title);
  ChartAxis axis = roundAxis(shares.lowest, shares.highest);
  // the whole output, 1, has its own labelled line
  if (std::find(axis.ticks.begin(), axis.ticks.end(), 1.0) == axis.ticks.end()) {
    axis.ticks.push_back(1.0);
  }
  axis.text = [](double share) {
    return share == 1.0 ? std::string("1 = output") : fmt::format("{:g}", share);
  };
  const AxisLabels labels = tokenLabels(panel);
  const auto tokens = static_cast<float>(panel.trace.config().seqLen);
  room.b.x = std::min(room.b.x, room.a.x + look.px(70) + tokens * look.px(110));
  const Chart chart(look, {room, {}, axis, {}, {}, &labels});
  ImDrawList* list = ImGui::GetWindowDrawList();
  chart.drawAxes(list);
  const float whole = chart.at(0.0, 1.0).y;
  list->AddLine({chart.plot().a.x, whole}, {chart.plot().b.x, whole}, look.theme.text);
  for (Index bar = 0; bar < bars.count(); ++bar) {
    drawStack(panel, chart, chart.band(bar, bars.count()),
              shares.shares[static_cast<std::size_t>(bar)]);
  }
  const bool clicked = chart.item("shares");
  const auto bar = chart.hovered(bars.count());
  if (!bar) return;
  const HeadsState state = headsState(panel);
  const Index token = bars.begin(*bar);
  std::string text = tokenInQuotes(state, token);
  if (bars.end(*bar) - token > 1) {
    text += fmt::format(" … {}, mean", tokenInQuotes(state, bars.end(*bar) - 1));
  }
  const std::vector<double>& parts = shares.shares[static_cast<std::size_t>(*bar)];
  const double y = chart.underMouse().y;
  for (const StackPiece& piece : stackOf(parts)) {
    if (y < std::min(piece.from, piece.to) || y >= std::max(piece.from, piece.to)) continue;
    const bool bias = piece.part + 1 == parts.size();
    text += fmt::format("\n{}: {}", bias ? "b_O" : trFormat("head {}", piece.part + 1),
                        cellNumber(parts[piece.part], 3));
    if (clicked && !bias) panel.selection.head = static_cast<Index>(piece.part);
  }
  showTooltip(text);
  if (clicked) chooseToken(panel, token);
}

class OutputMatrixTab final : public Card {
 public:
  OutputMatrixTab()
      : Card({"output-matrix", tr("Output matrix"),
              tr("Each head's rows of W^O, and its share of every output"), 0, true,
              tr("each head has its own rows of W^O and adds its part to every token's output")}) {}
  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const MeasuredHeads heads = measuredHeads(panel);
    const Figures* figures = heads.figures;
    Rect room = Rect::rest();
    const Rect words = room.cutLeft(std::min(look.px(340), room.width() * 0.36F), look.space.wide);
    const Rect blocks = room.cutLeft((room.width() - look.space.wide) * 0.44F, look.space.wide);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.medium, look.space.thin));
    beginPart("share words", words.size());
    shareWords(panel, figures == nullptr ? nullptr : &figures->effects);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    outputBlocks(panel, panel.magnitudes, blocks);
    ImGui::SetCursorScreenPos(room.a);
    if (figures == nullptr) return noFigures(panel, heads);

    const HeadEffects& effects = figures->effects;
    const Index most = std::max<Index>(1, kMostPieces / (effects.heads() + 1));
    ChartBars bars = ChartBars::fitting(effects.tokens(), room.width(), look.px(3));
    bars.perBar = std::max(bars.perBar, (effects.tokens() + most - 1) / most);
    const auto* shares = panel.computations.computeNow<ShareBars>(
        "shares of bars", Fingerprint("shares", figures->revision, bars.things, bars.perBar),
        [&] { return shareBars(effects, bars); });
    if (shares != nullptr) shareStacks(panel, bars, *shares, room);
  }
};

}  // namespace

std::unique_ptr<Card> makeOutputMatrixTab() { return std::make_unique<OutputMatrixTab>(); }

}  // namespace headscope::ui
