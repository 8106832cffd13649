// Effects card: the tabs about the effect of a head, W^O, more heads and several heads; and the
// parts that its tabs share: effects as bars and as a heatmap, tokens in words.
#include "app/ui/heads/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kWidestToken = 110.0F;  // points, in pictures of few tokens
constexpr float kNamesShare = 0.27F;    // share of a chart's height for token names
constexpr float kCurvesShare = 0.36F;   // share for time steps, with their curves

/// Shows the effect under the mouse as a tooltip; a click chooses its head and token.
void pickEffect(const PanelContext& panel, const HeadEffects& effects, Index head,
                const ChartBars& bars, Index bar, bool clicked) {
  showTooltip(effectInWords(headsState(panel), effects, head, bars.begin(bar), bars.end(bar)));
  if (!clicked) return;
  panel.selection.head = head;
  chooseToken(panel, bars.begin(bar));
}

ImU32 colorOfHead(const FrameContext& look, Index head) {
  return headColor(look.theme, static_cast<std::size_t>(head));
}

/// Draws "head 3, if off" and the head's switch above its bars.
void drawBarsTitle(const PanelContext& panel, ImDrawList* list, Index head, const Rect& line) {
  const FrameContext& look = panel.look;
  ImFont* font = look.fonts.small;
  const ImVec2 toggle = headSwitchSize(look);
  const bool off = isOff(panel.trace.config(), head);
  const float room = line.width() - toggle.x - look.space.small;
  std::string text =
      off ? trFormat("head {} is off", head + 1) : trFormat("head {}, if off", head + 1);
  if (textSize(font, text).x > room) {
    text = off ? fmt::format("{}: off", head + 1) : trFormat("head {}", head + 1);
  }
  drawText(list, font, line.a, off ? look.theme.textMuted : colorOfHead(look, head), text);
  const float middle = line.a.y + fontSize(font) * 0.5F;
  ImGui::SetCursorScreenPos({line.b.x - toggle.x, middle - toggle.y * 0.5F + look.space.hair});
  headSwitch(panel, head);
}

void drawHeadBars(const PanelContext& panel, const HeadEffects& effects, Index head,
                  const Chart& chart, const ChartBars& bars) {
  const FrameContext& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool chosen = head == panel.selection.head;
  if (chosen) {
    const Rect around = chart.plot().outset(look.space.tight);
    list->AddRectFilled(around.a, {around.b.x, chart.plot().b.y},
                        withAlpha(look.theme.accent, 0.09F), look.space.tight);
  }
  chart.drawAxes(list);
  const ImU32 color = withAlpha(colorOfHead(look, head), chosen ? 1.0F : 0.8F);
  for (Index bar = 0; bar < bars.count(); ++bar) {
    const auto percent =
        percentWithout(effects, head, bars.begin(bar), bars.end(bar), panel.headsView.pooling);
    if (percent && *percent != 0.0) chart.bar(list, bar, bars.count(), 0.0, *percent, color);
  }
  ImGui::PushID(static_cast<int>(head));
  const bool clicked = chart.item("chart");
  ImGui::PopID();
  if (const auto bar = chart.hovered(bars.count())) {
    pickEffect(panel, effects, head, bars, *bar, clicked);
  }
}

ChartAxis percentAxis(const Figures& figures) {
  ChartAxis axis = roundAxis(0.0, figures.largestEffect);
  axis.text = [](double percent) { return fmt::format("{:g} %", percent); };
  return axis;
}

class EffectsCard final : public Card {
 public:
  EffectsCard()
      : Card({"effects", tr("Effects"), tr("what is lost without a head, what more heads add")}) {}
  void draw(const PanelContext& panel) override {
    EffectTab& open = panel.headsView.effectTab;
    const auto chosen = static_cast<std::size_t>(open);
    open = static_cast<EffectTab>(tabs_.tabs(panel, "effects tabs", chosen));
    tabs_.at(chosen).draw(panel);
  }
  std::vector<CardTab> tabs(const PanelContext& /*panel*/) const override {
    return tabs_.asTabs([](const PanelContext& panel, std::size_t place) {
      panel.headsView.effectTab = static_cast<EffectTab>(place);
    });
  }

 private:
  Cards tabs_ = Cards::of(makeSwitchOffTab(), makeOutputMatrixTab(), makeMoreHeadsTab(),
                          makeWhySeveralTab(), makeHowLearnedTab());
};

}  // namespace

Index chosenToken(const PanelContext& panel) {
  const auto& cell = panel.selection.cell;
  if (!cell || info(cell->tensor).rows != Axis::query) return 0;
  return std::clamp<Index>(cell->row, 0, panel.trace.queries() - 1);
}

void chooseToken(const PanelContext& panel, Index token) {
  auto& cell = panel.selection.cell;
  if (cell && info(cell->tensor).rows == Axis::query) {
    cell->row = token;
  } else {
    cell = CellRef{TensorId::weights, panel.selection.item, panel.selection.head, token, 0};
  }
}

AxisLabels tokenLabels(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  AxisLabels labels;
  labels.texts = laneTokens(panel.trace, Lane::query, panel.selection.item);
  labels.font = look.fonts.tiny;
  labels.color = look.theme.textMuted;
  labels.litColor = look.theme.queryText;
  labels.lit = panel.selection.cell ? chosenToken(panel) : panel.headsView.query;
  labels.limit = look.px(48);
  labels.curves = laneCurves(look, panel.trace, Lane::query, panel.selection.item);
  labels.measured = labels.namesWidth();
  return labels;
}

Index effectBars(const PanelContext& panel, const Figures& figures) {
  const FrameContext& look = panel.look;
  const HeadEffects& effects = figures.effects;
  Rect room = Rect::rest();
  const AxisLabels labels = tokenLabels(panel);
  const ChartAxis axis = percentAxis(figures);
  const float share = labels.curves.empty() ? kNamesShare : kCurvesShare;
  const auto chartIn = [&](const Rect& part, bool ticks) {
    return Chart(look, {part, {}, axis, {}, {}, &labels, ticks, 0.0F, share});
  };
  // the axis at the left does not scroll with the charts
  const float gutter = chartIn(room, true).plot().a.x - room.a.x;
  const auto count = static_cast<float>(effects.heads());
  const float gap = look.space.large;
  const float available = room.width() - gutter;
  const float least = look.px(96);
  const float most =
      std::max({look.px(230), look.px(18) * static_cast<float>(effects.tokens()), least});
  const float width = std::clamp((available + gap) / count - gap, least, most);
  const float all = (width + gap) * count - gap;
  const bool scrolls = all > available + 1.0F;
  const float titleHeight = fontSize(look.fonts.small) + look.space.tight;
  Rect rows = room;
  if (scrolls) rows.cutBottom(ImGui::GetStyle().ScrollbarSize, look.space.thin);
  Rect charts = rows;
  const Rect titles = charts.cutTop(titleHeight);
  chartIn(Rect::at(charts.a, {gutter + width, charts.height()}), true)
      .drawTicks(ImGui::GetWindowDrawList());

  // the first turned name begins left of its bar, the last one ends right of it
  const float margin = look.space.small;
  const float beyond = ImGui::GetStyle().WindowPadding.x;
  ImGui::SetCursorScreenPos({room.a.x + gutter - margin, room.a.y});
  beginPart("bars", {available + margin + beyond, room.height()},
            scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar);
  // the scrollbar appears one frame after the content overflows
  if (scrolls && ImGui::GetScrollMaxX() == 0.0F) *look.wantsFrame = true;
  if (scrolls && ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0.0F) {
    ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * (width + gap));
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 origin(corner.x + margin, corner.y);
  const float left = ImGui::GetWindowPos().x;
  const float right = left + ImGui::GetWindowSize().x;
  const ChartBars bars = ChartBars::fitting(effects.tokens(), width, look.px(3));
  for (Index head = 0; head < effects.heads(); ++head) {
    const float x = origin.x + static_cast<float>(head) * (width + gap);
    if (x >= right || x + width <= left) continue;
    drawBarsTitle(panel, ImGui::GetWindowDrawList(), head,
                  Rect::at({x, titles.a.y}, {width, titleHeight}));
    const Chart chart = chartIn(Rect::at({x, charts.a.y}, {width, charts.height()}), false);
    drawHeadBars(panel, effects, head, chart, bars);
  }
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy({margin + all + beyond, rows.b.y - origin.y - look.space.hair});
  ImGui::EndChild();
  return bars.perBar;
}

void effectOfChosenHead(const PanelContext& panel, const Figures& figures) {
  const FrameContext& look = panel.look;
  const Index head = std::min(panel.selection.head, figures.effects.heads() - 1);
  Rect room = Rect::rest();
  const Rect title = room.cutTop(fontSize(look.fonts.title), look.space.medium);
  drawText(ImGui::GetWindowDrawList(), look.fonts.title, title.a, colorOfHead(look, head),
           trFormat("without head {}", head + 1));
  AxisLabels labels = tokenLabels(panel);
  labels.font = look.fonts.semibold;
  labels.limit = look.px(120);
  labels.measured = labels.namesWidth();
  const Chart chart(look, {room,
                           {},
                           percentAxis(figures),
                           {},
                           {},
                           &labels,
                           true,
                           0.0F,
                           kCurvesShare,
                           look.fonts.semibold});
  const ChartBars bars = ChartBars::fitting(figures.effects.tokens(), room.width(), look.px(3));
  drawHeadBars(panel, figures.effects, head, chart, bars);
}

Index effectHeatmap(const PanelContext& panel, const Figures& figures) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const HeadEffects& effects = figures.effects;
  const Pooling pooling = panel.headsView.pooling;
  ImDrawList* list = ImGui::GetWindowDrawList();
  constexpr const char* kAxes = "head ↑  token →";
  Rect room = Rect::rest();
  room.cutTop(look.space.small);
  const Rect names = room.cutLeft(textSize(look.fonts.tiny, kAxes).x, look.space.medium);
  room.cutRight(colorBarWidth(look) + look.space.medium);
  const AxisLabels tokens = tokenLabels(panel);
  const float cols = static_cast<float>(effects.tokens());
  const float width = std::min(room.width(), cols * look.px(kWidestToken));
  const ColumnLabels below(look, tokens, width, room.height() * 0.3F);
  const float height =
      std::min(room.height() - below.room(), static_cast<float>(effects.heads()) * look.px(26));
  const MatrixPlace place{Rect::at(room.a, {width, height}), effects.heads(), effects.tokens()};

  const auto percentAt = [&effects](Index head, Index token) {
    const auto percent = percentWithout(effects, head, token, token + 1, Pooling::mean);
    return percent ? static_cast<float>(*percent) : gl::kMaskedCell;
  };
  const auto read = [percentAt](Index head, std::span<float> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = percentAt(head, static_cast<Index>(i));
  };
  const auto high = static_cast<float>(roundTicks(0.0, figures.largestEffect).back());
  const ColorScale scale = sequentialScale(look, 0.0F, high);
  const bool largest = pooling == Pooling::maximum;
  Heatmaps heatmaps(look);
  heatmaps.add(Fingerprint("effects of heads", largest), Fingerprint("effects", figures.revision),
               {effects.heads(), effects.tokens(), read}, scale, place.at, false,
               largest ? Reduction::largest : Reduction::mean);
  heatmaps.draw(list);
  list->AddRect(place.at.a, place.at.b, t.panelBorder);
  const CellNumbers numbers{percentAt, {}, false, 1};
  if (!drawNumbers(look, list, place, scale, numbers)) {
    drawNumbers(look, list, place, scale, numbers, look.fonts.tiny);
  }

  // the heads' numbers, each in its head's colour, as many as fit
  ImFont* font = place.cell().y < fontSize(look.fonts.small) ? look.fonts.tiny : look.fonts.small;
  const Index chosen = panel.selection.head;
  const auto every =
      std::max<Index>(1, static_cast<Index>(std::ceil(fontSize(font) / place.cell().y)));
  for (Index h = 0; h < effects.heads(); ++h) {
    if (h != chosen && (h % every != 0 || std::abs(h - chosen) < every)) continue;
    const bool off = isOff(panel.trace.config(), h);
    const std::string text = off ? trFormat("{} off", h + 1) : std::to_string(h + 1);
    const Rect row{{names.a.x, place.cellAt(h, 0).a.y},
                   {place.at.a.x - look.space.small, place.cellAt(h, 0).b.y}};
    drawText(list, font, row.placed(textSize(font, text), 1.0F).a, colorOfHead(look, h), text);
  }
  const Rect row =
      place.block(static_cast<double>(chosen), 1, 0, static_cast<double>(effects.tokens()));
  drawFrame(look, list, row, t.text, 1.5F);
  below.draw(list, place.at);
  const float under = place.at.b.y + look.space.tight;
  drawText(list, look.fonts.tiny, {names.a.x, under}, t.textMuted, kAxes);
  const float bar = place.at.b.x + look.space.large;
  drawText(list, look.fonts.tiny, {bar, under}, t.textMuted, "%");
  colorBar(look, scale, {bar, place.at.a.y}, std::max(height, look.space.wide));

  ImGui::SetCursorScreenPos(place.at.a);
  const bool clicked = pictureArea("effects", place.at.size());
  const float pixels = place.at.width() * look.scene.pixelsPerPoint;
  const ChartBars covered = ChartBars::fitting(effects.tokens(), pixels, 1.0F);
  if (ImGui::IsItemHovered()) {
    const MatrixCell cell = place.nearest(ImGui::GetIO().MousePos);
    pickEffect(panel, effects, cell.row, covered, cell.col / covered.perBar, clicked);
  }
  return covered.perBar;
}

std::unique_ptr<Card> makeEffectsCard() { return std::make_unique<EffectsCard>(); }

}  // namespace headscope::ui
