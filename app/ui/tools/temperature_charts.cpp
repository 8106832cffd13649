#include "app/ui/tools/temperature_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/number_field.h"
#include "app/ui/tools/chart.h"
#include "app/ui/tools/mask_words.h"
#include "app/ui/widgets.h"
#include "core/dropout.h"

namespace headscope::ui {
namespace {

/// One per column that fits: the largest of the keys that share it.
std::vector<float> columnsOf(const std::vector<float>& weights, float width) {
  const auto count =
      std::min(weights.size(), std::max<std::size_t>(1, static_cast<std::size_t>(width)));
  std::vector<float> columns(count, 0.0F);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    float& column = columns[j * count / weights.size()];
    column = std::max(column, weights[j]);
  }
  return columns;
}

std::vector<PlainPoint> curveOf(const std::vector<float>& weights, float width) {
  const std::vector<float> columns = columnsOf(weights, width);
  std::vector<PlainPoint> points;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    points.push_back(
        {(static_cast<double>(i) + 0.5) / static_cast<double>(columns.size()), columns[i]});
  }
  return points;
}

/// "÷√64" or "no ÷√64".
std::string scaleName(const AttentionConfig& c, bool scale) {
  return scale ? fmt::format("÷√{}", c.dK()) : fmt::format("no ÷√{}", c.dK());
}

/// A hatched foot under the bars of keys that dropout takes.
void markDropped(const Panel& panel, const RowRef& row, const PlainChart& chart) {
  const AttentionConfig& c = panel.trace.config();
  const Look& look = panel.look;
  const float cell = (chart.b.x - chart.a.x) / static_cast<float>(c.keys());
  if (!c.dropout.on() || cell < look.px(6)) return;
  const DroppedCells dropped(c);
  for (Index j = 0; j < c.keys(); ++j) {
    if (!dropped(row.item, row.head, row.query, j)) continue;
    drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.small,
                    {chart.a.x + (static_cast<float>(j) + 0.5F) * cell, chart.b.y - look.px(8)},
                    look.theme.bad, "×");
  }
}

}  // namespace

void distributionChart(const Panel& panel, const RowFigures& f, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const auto keyOf = [](const std::vector<float>& weights) {
    return *std::max_element(weights.begin(), weights.end());
  };
  const float highest =
      std::max({keyOf(f.weights), keyOf(f.sharper), keyOf(f.flatter), keyOf(f.otherway)});
  const double top = highest > 0.0F ? roundedUp(highest) : 1.0;
  const double temperature = f.now.temperature;
  const std::vector<PlainKey> keys{{fmt::format("T {:.3g}", temperature), t.accent},
                                   {fmt::format("{:.3g}", temperature / 4), t.queryText},
                                   {fmt::format("{:.3g}", temperature * 4), t.key},
                                   {scaleName(c, !f.now.scale), t.valueText}};
  const float title = drawPlainTitle(
      look, at, size.x, "weights of " + queryName(panel.trace.document(), f.row.item, f.row.query),
      keys);

  const auto& tokens = laneTokens(panel.trace, Lane::key, f.row.item);
  const float labels = labelWidth(look.fonts.small, tokens, look.px(60));
  const bool turned = labels > size.x * 0.85F / static_cast<float>(c.keys());
  const float below = turned ? std::min(labels * 0.72F + look.px(10), (size.y - title) * 0.32F)
                             : fontSize(look.fonts.small) + look.px(4);
  const PlainChart chart = placeChart(look, {at.x, at.y + title}, {size.x, size.y - title}, {0, 1},
                                 {0, top, false, {0, top / 2, top}}, below);
  drawAxes(look, chart, "");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = chart.b.x - chart.a.x;
  const std::vector<float> bars = columnsOf(f.weights, width);
  const float column = width / static_cast<float>(bars.size());
  const float inset = column > look.px(4) ? column * 0.2F : 0.0F;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const float x = chart.a.x + static_cast<float>(i) * column;
    list->AddRectFilled({x + inset, chart.at(0, bars[i]).y}, {x + column - inset, chart.b.y},
                        withAlpha(t.accent, 0.55F));
  }
  for (const auto& [weights, color] : {std::pair{&f.otherway, keys[3].color},
                                       {&f.sharper, keys[1].color},
                                       {&f.flatter, keys[2].color}}) {
    const auto points = curveOf(*weights, width);
    drawCurve(look, chart, points, color, column > look.px(2) ? 1.5F : 1.0F);
    if (column > look.px(8)) {
      for (const PlainPoint& point : points) drawDot(look, chart, point, color, 2.5F);
    }
  }
  markDropped(panel, f.row, chart);
  const float cell = width / static_cast<float>(c.keys());
  drawColumnLabels(list, tokens, {chart.a.x, chart.b.y + look.px(3)}, cell, below - look.px(6),
                   {look.fonts.small, t.text, t.keyText, -1});

  ImGui::SetCursorScreenPos(chart.a);
  const bool clicked = pictureArea("weights", {width, chart.b.y - chart.a.y});
  if (!ImGui::IsItemHovered()) return;
  const auto key = std::clamp<Index>(
      static_cast<Index>((ImGui::GetIO().MousePos.x - chart.a.x) / cell), 0, c.keys() - 1);
  const auto weight = [&](const std::vector<float>& weights) {
    return number(weights[static_cast<std::size_t>(key)], 3);
  };
  ImGui::SetTooltip("%s: %s\nT %.3g: %s\nT %.3g: %s\n%s: %s",
                    keyName(panel.trace.document(), f.row.item, key).c_str(),
                    weight(f.weights).c_str(), temperature / 4, weight(f.sharper).c_str(),
                    temperature * 4, weight(f.flatter).c_str(), scaleName(c, !f.now.scale).c_str(),
                    weight(f.otherway).c_str());
  if (clicked) {
    panel.view.selected = CellRef{TensorId::weights, f.row.item, f.row.head, f.row.query, key};
  }
}

void entropyChart(const Panel& panel, const RowFigures& f, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const double limit = std::log2(static_cast<double>(std::max<Index>(f.keys, 1)));
  const double most = std::max(limit, 1.0);
  const std::vector<PlainKey> keys{{scaleName(c, true), t.accent},
                                   {scaleName(c, false), t.valueText}};
  const float title =
      drawPlainTitle(look, at, size.x, fmt::format("entropy, bits (at most {:.3g})", limit), keys);
  PlainAxis x{kLowestTemperature, kHighestTemperature, true, {0.1, 1, 10}};
  const PlainChart chart = placeChart(look, {at.x, at.y + title}, {size.x, size.y - title}, std::move(x),
                                 {0, most, false, {0, most}});
  drawAxes(look, chart, "temperature");
  const auto curve = [&](const std::vector<double>& entropies, ImU32 color) {
    std::vector<PlainPoint> points;
    for (std::size_t i = 0; i < entropies.size(); ++i) {
      points.push_back({entropyTemperatures()[i], entropies[i]});
    }
    drawCurve(look, chart, points, color, 1.8F);
  };
  curve(f.plainEntropy, keys[1].color);
  curve(f.scaledEntropy, keys[0].color);
  const PlainPoint now{f.now.temperature, f.spread.entropy};
  drawDot(look, chart, now, t.panel, 6.0F);
  drawDot(look, chart, now, f.now.scale ? t.accent : t.valueText, 4.5F);

  ImGui::SetCursorScreenPos(chart.a);
  pictureArea("entropy", {chart.b.x - chart.a.x, chart.b.y - chart.a.y});
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!ImGui::IsItemActive()) return;
  const double along = (ImGui::GetIO().MousePos.x - chart.a.x) / (chart.b.x - chart.a.x);
  // three digits, as a person would type it
  const double wanted = std::stod(fmt::format("{:.3g}", chart.x.value(along)));
  if (wanted != panel.document.config.temperature) {
    panel.edits.push(SetTemperature{wanted}, "temperature");
  }
}

void varianceChart(const Panel& panel, const TemperatureMemory& memory, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const MeasuredVariance measured =
      memory.variance.value_or(MeasuredVariance{{}, panel.trace.config().dK(), {}});
  const HeadVariance& variances = measured.of;
  const auto dK = static_cast<double>(measured.dK);
  const Index shown = memory.figures.row.head;
  const ImU32 head = headColor(t, static_cast<std::size_t>(shown));
  const float title = drawPlainTitle(look, at, size.x, "variance of scores",
                                     {{"q·k", t.queryText},
                                      {"q·k ÷ √d_k", t.valueText},
                                      {fmt::format("head {}", shown + 1), head}});
  double low = 0.1;
  double high = 1000.0;
  for (const double variance : {variances.raw, variances.scores}) {
    if (!(variance > 0.0) || !std::isfinite(variance)) continue;
    low = std::min(low, std::pow(10.0, std::floor(std::log10(variance))));
    high = std::max(high, std::pow(10.0, std::ceil(std::log10(variance))));
  }
  const double widest = std::max(512.0, dK);
  const PlainChart chart =
      placeChart(look, {at.x, at.y + title}, {size.x, size.y - title},
                 {1, widest, true, {1, 8, 64, 512}}, {low, high, true, {low, 1, high}});
  drawAxes(look, chart, "d_k");
  drawCurve(look, chart, {{1, 1}, {widest, widest}}, t.queryText, 1.2F);
  drawCurve(look, chart, {{1, 1}, {widest, 1}}, t.valueText, 1.2F);
  for (const DrawnVariance& each : memory.drawn) {
    const auto width = static_cast<double>(each.dK);
    drawDot(look, chart, {width, each.variance}, t.queryText, 2.5F);
    drawDot(look, chart, {width, each.variance / width}, t.valueText, 2.5F);
  }
  const auto mark = [&](double variance, float radius) {
    if (!(variance > 0.0)) return;
    drawDot(look, chart, {dK, variance}, t.panel, radius + 1.5F);
    drawDot(look, chart, {dK, variance}, head, radius);
  };
  if (variances.raw > 0.0 && variances.scores > 0.0) {
    drawCurve(look, chart, {{dK, variances.raw}, {dK, variances.scores}}, head, 1.2F);
  }
  mark(variances.raw, 4.5F);
  mark(variances.scores, 4.5F);

  ImGui::SetCursorScreenPos(chart.a);
  pictureArea("variance", {chart.b.x - chart.a.x, chart.b.y - chart.a.y});
  tip(look,
      "Where the components of q and k are independent with mean 0 and variance 1, q·k is a sum of "
      "d_k such products: variance d_k (line), as 256 drawn pairs at each d_k show (dots). Divided "
      "by √d_k it is 1 whatever d_k, so the softmax does not saturate in wide heads.");
}

}  // namespace headscope::ui
