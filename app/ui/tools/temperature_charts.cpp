#include "app/ui/tools/temperature_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/control_focus.h"
#include "app/ui/frame_commands.h"
#include "app/ui/hover.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/series_mark.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

constexpr int kEntropyPoints = 81;
constexpr float kBars = 0.55F;  // the opacity of the weights at the set temperature

/// The temperatures at which the entropy is drawn.
const std::vector<double>& entropyTemperatures() {
  static const std::vector<double> kTemperatures =
      temperatures(kLowestTemperature, kHighestTemperature, kEntropyPoints);
  return kTemperatures;
}

float largestOf(const std::vector<float>& weights) { return std::ranges::max(weights); }

/// Returns one weight for each bar: the largest of the keys that share it.
std::vector<float> barsOf(const std::vector<float>& weights, const ChartBars& bars) {
  std::vector<float> largest;
  for (Index bar = 0; bar < bars.count(); ++bar) {
    largest.push_back(
        *std::max_element(weights.begin() + bars.begin(bar), weights.begin() + bars.end(bar)));
  }
  return largest;
}

/// Returns the colour of scores with ÷ √d_k or without, in all charts.
ImU32 scaleColor(const Theme& theme, bool scaled) { return scaled ? theme.accent : theme.text; }

/// Returns "÷√64" or "no ÷√64".
std::string scaleName(const AttentionConfig& c, bool scale) {
  return scale ? fmt::format("÷√{}", c.dK()) : fmt::format("no ÷√{}", c.dK());
}

/// Draws a cross at the foot of the bars of keys that dropout drops.
void markDropped(const PanelContext& panel, const RowRef& row, const Chart& chart) {
  const AttentionConfig& c = panel.trace.config();
  const FrameContext& look = panel.look;
  if (!c.dropout.on() || chart.band(0, c.keys()).width() < look.space.tight) return;
  const DroppedCells dropped(c);
  for (Index j = 0; j < c.keys(); ++j) {
    if (!dropped(row.item, row.head, row.query, j)) continue;
    drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.small,
                    {chart.band(j, c.keys()).centre().x, chart.plot().b.y - look.space.medium},
                    look.theme.bad, "×");
  }
}

/// Draws a dot that is visible on every line.
void ringedDot(const FrameContext& look, const Chart& chart, const ChartPoint& point, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  chart.dot(list, point, look.theme.panel, 6.0F);
  chart.dot(list, point, color, 4.5F);
}

}  // namespace

RowFigures rowFigures(const Trace& trace, const RowRef& row) {
  RowFigures f;
  f.row = row;
  f.now = sharpnessOf(trace.config());
  f.weights = rowWeights(trace, row, f.now);
  f.sharper = rowWeights(trace, row, {f.now.scale, f.now.temperature / 4});
  f.flatter = rowWeights(trace, row, {f.now.scale, f.now.temperature * 4});
  f.otherway = rowWeights(trace, row, {!f.now.scale, f.now.temperature});
  f.scaledEntropy = entropyCurve(trace, row, true, entropyTemperatures());
  f.plainEntropy = entropyCurve(trace, row, false, entropyTemperatures());
  f.spread = spreadOf(f.weights);
  f.keys = keysTakingPart(trace.config(), row);
  return f;
}

void distributionChart(const PanelContext& panel, const RowFigures& f, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double temperature = f.now.temperature;
  const ImU32 own = scaleColor(t, f.now.scale);
  const std::vector<ChartKey> keys{{fmt::format("T {:.3g}", temperature), withAlpha(own, kBars)},
                                   {fmt::format("T {:.3g}", temperature / 4), own, 0},
                                   {fmt::format("T {:.3g}", temperature * 4), own, 1},
                                   {scaleName(c, !f.now.scale), scaleColor(t, !f.now.scale)}};
  drawChartTitle(look, room,
                 tr("weights of ") + queryName(panel.trace.document(), f.row.item, f.row.query),
                 keys);

  const float highest = std::max(
      {largestOf(f.weights), largestOf(f.sharper), largestOf(f.flatter), largestOf(f.otherway)});
  const double top = highest > 0.0F ? roundedUp(highest) : 1.0;
  AxisLabels tokens;
  tokens.texts = laneTokens(panel.trace, Lane::key, f.row.item);
  tokens.font = look.fonts.small;
  tokens.color = t.text;
  tokens.litColor = t.keyText;
  tokens.lit = chosenAlong(Lane::key, panel.selection.cell);
  tokens.limit = look.px(60);
  tokens.curves = laneCurves(look, panel.trace, Lane::key, f.row.item);
  ChartFrame frame{room, {}, {0.0, top, false, {0.0, top / 2, top}}};
  frame.below = &tokens;
  const Chart chart(look, std::move(frame));
  chart.drawAxes(list);
  const auto bars = ChartBars::fitting(c.keys(), chart.plot().width(), look.space.hair);
  const std::vector<float> now = barsOf(f.weights, bars);
  for (Index bar = 0; bar < bars.count(); ++bar) {
    chart.bar(list, bar, bars.count(), 0.0, now[static_cast<std::size_t>(bar)],
              withAlpha(own, kBars));
  }
  const float pitch = chart.plot().width() / static_cast<float>(bars.count());
  for (const auto& [weights, key] :
       {std::pair{&f.otherway, &keys[3]}, {&f.sharper, &keys[1]}, {&f.flatter, &keys[2]}}) {
    std::vector<ChartPoint> points;
    for (const float weight : barsOf(*weights, bars)) {
      const double along = static_cast<double>(points.size()) + 0.5;
      points.push_back({along / static_cast<double>(bars.count()), weight});
    }
    chart.curve(list, points, key->color, pitch > look.space.thin ? 1.5F : 1.0F);
    if (pitch < look.space.medium) continue;
    for (const ChartPoint& point : points) {
      if (key->mark) {
        drawSeriesMark(list, chart.at(point), look.px(3), key->color, *key->mark);
      } else {
        chart.dot(list, point, key->color, 2.5F);
      }
    }
  }
  markDropped(panel, f.row, chart);

  const bool clicked = chart.item("weights");
  const auto key = chart.hovered(c.keys());
  if (!key) return;
  const auto weight = [&](const std::vector<float>& weights) {
    return number(weights[static_cast<std::size_t>(*key)], 3);
  };
  showTooltip(fmt::format("{}: {}\nT {:.3g}: {}\nT {:.3g}: {}\n{}: {}",
                          keyName(panel.trace.document(), f.row.item, *key), weight(f.weights),
                          temperature / 4, weight(f.sharper), temperature * 4, weight(f.flatter),
                          scaleName(c, !f.now.scale), weight(f.otherway)));
  if (clicked) {
    panel.selection.cell = CellRef{TensorId::weights, f.row.item, f.row.head, f.row.query, *key};
  }
}

void entropyChart(const PanelContext& panel, const RowFigures& f, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double limit = std::log2(static_cast<double>(std::max<Index>(f.keys, 1)));
  const double most = std::max(limit, 1.0);
  drawChartTitle(
      look, room, trFormat("entropy, bits (at most {:.3g})", limit),
      {{scaleName(c, true), scaleColor(t, true)}, {scaleName(c, false), scaleColor(t, false)}});
  const Chart chart(look, {room,
                           {kLowestTemperature, kHighestTemperature, true, {0.1, 1, 10}},
                           {0.0, most, false, {0.0, most}},
                           "temperature"});
  chart.drawAxes(list);
  const auto curve = [&](const std::vector<double>& entropies, ImU32 color) {
    std::vector<ChartPoint> points;
    for (const double entropy : entropies) {
      points.push_back({entropyTemperatures()[points.size()], entropy});
    }
    chart.curve(list, points, color, 1.8F);
  };
  curve(f.plainEntropy, scaleColor(t, false));
  curve(f.scaledEntropy, scaleColor(t, true));
  ringedDot(look, chart, {f.now.temperature, f.spread.entropy}, scaleColor(t, f.now.scale));

  chart.item("entropy");
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!ImGui::IsItemActive()) return;
  // rounded to three digits, as a user would type it
  const double wanted = std::stod(fmt::format("{:.3g}", chart.underMouse().x));
  if (wanted != panel.document.config.switches->temperature) {
    panel.commands.push(SetSwitch{&Switches::temperature, wanted}, "temperature");
  }
}

void varianceChart(const PanelContext& panel, Index head, const MeasuredVariance* measured,
                   const std::vector<DrawnVariance>& drawn, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const HeadVariance own = measured != nullptr ? measured->of : HeadVariance{};
  const auto dK =
      static_cast<double>(measured != nullptr ? measured->dK : panel.trace.config().dK());
  const ImU32 ink = headColor(t, static_cast<std::size_t>(head));
  const ImU32 plain = scaleColor(t, false);
  const ImU32 scaled = scaleColor(t, true);
  drawChartTitle(look, room, tr("variance of scores"),
                 {{"q·k", plain}, {"q·k ÷ √d_k", scaled}, {trFormat("head {}", head + 1), ink}});
  double low = 0.1;
  double high = 1000.0;
  for (const double variance : {own.raw, own.scores}) {
    if (!(variance > 0.0) || !std::isfinite(variance)) continue;
    low = std::min(low, std::pow(10.0, std::floor(std::log10(variance))));
    high = std::max(high, std::pow(10.0, std::ceil(std::log10(variance))));
  }
  const double widest = std::max(512.0, dK);
  const Chart chart(
      look, {room, {1.0, widest, true, {1, 8, 64, 512}}, {low, high, true, {low, 1, high}}, "d_k"});
  chart.drawAxes(list);
  const auto line = [&](const ChartPoint& from, const ChartPoint& to, ImU32 color) {
    const std::array points{from, to};
    chart.curve(list, points, color, 1.2F);
  };
  line({1, 1}, {widest, widest}, plain);
  line({1, 1}, {widest, 1}, scaled);
  for (const DrawnVariance& each : drawn) {
    const auto width = static_cast<double>(each.dK);
    chart.dot(list, {width, each.variance}, plain, 2.5F);
    chart.dot(list, {width, each.variance / width}, scaled, 2.5F);
  }
  if (own.raw > 0.0 && own.scores > 0.0) line({dK, own.raw}, {dK, own.scores}, ink);
  for (const double variance : {own.raw, own.scores}) {
    if (variance > 0.0) ringedDot(look, chart, {dK, variance}, ink);
  }

  chart.item("variance");
  tip(look, tr("Where the components of q and k are independent with mean 0 and variance 1, q·k is "
               "a sum of "
               "d_k such products: variance d_k (line), as 256 drawn pairs at each d_k show "
               "(dots). Divided "
               "by √d_k it is 1 whatever d_k, so the softmax does not saturate in wide heads."));
}

}  // namespace headscope::ui
