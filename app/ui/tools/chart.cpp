#include "app/ui/tools/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

std::string tickText(double value) {
  return value >= 1000.0 ? fmt::format("{:g}", value) : fmt::format("{:.3g}", value);
}

float widestTick(const Look& look, const PlainAxis& axis) {
  float widest = 0.0F;
  for (const double tick : axis.ticks) {
    widest = std::max(widest, textSize(look.fonts.monoSmall, tickText(tick)).x);
  }
  return widest;
}

}  // namespace

double PlainAxis::fraction(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

double PlainAxis::value(double fraction) const {
  const double f = std::clamp(fraction, 0.0, 1.0);
  return logarithmic ? low * std::pow(high / low, f) : low + (high - low) * f;
}

ImVec2 PlainChart::at(double xValue, double yValue) const {
  const auto along = [](const PlainAxis& axis, double value) {
    return static_cast<float>(std::clamp(axis.fraction(value), 0.0, 1.0));
  };
  return {a.x + (b.x - a.x) * along(x, xValue), b.y - (b.y - a.y) * along(y, yValue)};
}

PlainChart placeChart(const Look& look, ImVec2 at, ImVec2 size, PlainAxis x, PlainAxis y, float below) {
  const float left = widestTick(look, y) + look.px(8);
  const float ticks = x.ticks.empty() ? 0.0F : fontSize(look.fonts.monoSmall) + look.px(4);
  PlainChart chart{{at.x + left, at.y + look.px(5)}, {}, std::move(x), std::move(y)};
  chart.b = {std::max(at.x + size.x - look.px(6), chart.a.x + look.px(20)),
             std::max(at.y + size.y - ticks - below, chart.a.y + look.px(12))};
  return chart;
}

void drawAxes(const Look& look, const PlainChart& chart, const std::string& name) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* mono = look.fonts.monoSmall;
  float free = chart.b.y + fontSize(mono);  // above it there is room for a tick's number
  for (const double tick : chart.y.ticks) {
    const ImVec2 p = chart.at(chart.x.low, tick);
    const ImVec2 size = textSize(mono, tickText(tick));
    list->AddLine(p, {chart.b.x, p.y}, t.divider);
    if (p.y + size.y * 0.5F > free) continue;
    free = p.y - size.y * 0.5F;
    drawText(list, mono, {p.x - size.x - look.px(4), p.y - size.y * 0.5F}, t.textMuted,
             tickText(tick));
  }
  float taken = chart.a.x - look.px(40);
  for (const double tick : chart.x.ticks) {
    const ImVec2 p = chart.at(tick, chart.y.low);
    const ImVec2 size = textSize(mono, tickText(tick));
    if (p.x - size.x * 0.5F < taken) continue;
    taken = p.x + size.x * 0.5F + look.px(4);
    list->AddLine(p, {p.x, p.y + look.px(3)}, t.textMuted);
    drawText(list, mono, {p.x - size.x * 0.5F, p.y + look.px(3)}, t.textMuted, tickText(tick));
  }
  list->AddLine({chart.a.x, chart.b.y}, chart.b, t.textMuted);
  list->AddLine(chart.a, {chart.a.x, chart.b.y}, t.textMuted);
  const ImVec2 size = richTextSize(look.fonts, look.fonts.small, name);
  drawRichText(list, look.fonts, look.fonts.small,
               {chart.b.x - size.x, chart.b.y - size.y - look.px(1)}, t.textMuted, name);
}

void drawCurve(const Look& look, const PlainChart& chart, const std::vector<PlainPoint>& points,
               ImU32 color, float width) {
  std::vector<ImVec2> line;
  for (const PlainPoint& point : points) {
    if (std::isfinite(point.x) && std::isfinite(point.y)) {
      line.push_back(chart.at(point.x, point.y));
    }
  }
  ImGui::GetWindowDrawList()->AddPolyline(line.data(), static_cast<int>(line.size()), color, 0,
                                          look.px(width));
}

void drawDot(const Look& look, const PlainChart& chart, const PlainPoint& point, ImU32 color,
             float radius) {
  if (!std::isfinite(point.x) || !std::isfinite(point.y)) return;
  ImGui::GetWindowDrawList()->AddCircleFilled(chart.at(point.x, point.y), look.px(radius), color);
}

float drawPlainTitle(const Look& look, ImVec2 at, float width, const std::string& title,
                     const std::vector<PlainKey>& keys) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float line = fontSize(font) + look.px(3);
  const float swatch = look.px(10);
  const float gap = look.px(10);
  const std::string shown = elided(font, title, width);
  drawText(list, font, at, look.theme.text, shown);
  ImVec2 pen(at.x + textSize(font, shown).x + gap, at.y);
  for (const PlainKey& key : keys) {
    const float length = swatch + look.px(4) + richTextSize(look.fonts, font, key.name).x;
    if (pen.x > at.x && pen.x + length > at.x + width) pen = {at.x, pen.y + line};
    const float middle = pen.y + fontSize(font) * 0.5F;
    list->AddRectFilled({pen.x, middle - look.px(2)}, {pen.x + swatch, middle + look.px(2)},
                        key.color);
    drawRichText(list, look.fonts, font, {pen.x + swatch + look.px(4), pen.y}, look.theme.textMuted,
                 key.name);
    pen.x += length + gap;
  }
  return pen.y + line - at.y;
}

}  // namespace headscope::ui
