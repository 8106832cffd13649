#include "app/ui/heads/line_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kThickest = 7.0F;   // of a weight of 1
constexpr float kThinnest = 0.8F;   // of any
constexpr float kSteepness = 1.3F;  // of the curve where it is steepest, but for its ends: ~1.5

gl::Rgba rgba(ImU32 color, float alpha) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  return {c.x, c.y, c.z, alpha};
}

bool within(const TokenColumn& column, Index token) {
  return token >= column.range.first && token < column.range.first + column.range.count;
}

bool seen(const TokenColumn& column, Index token) {
  const float y = column.y(token);
  return y >= column.top - 1.0F && y <= column.bottom + 1.0F;
}

/// A weight beside a label: short, its size still told.
std::string weightLabel(float weight) {
  const std::string text = fmt::format("{:.2f}", weight);
  return text == "0.00" || text == "-0.00" ? "<.01" : text;
}

}  // namespace

Index drawLines(const Panel& panel, const TokenColumns& columns, const LineChoice& choice) {
  const Look& look = panel.look;
  const bool dark = look.theme.kind == ThemeKind::dark;
  const float across = std::max(columns.right - columns.left, 1.0F);
  const float pitch = std::min(columns.queries.pitch, columns.keys.pitch);
  const float thickest = std::clamp(pitch * 0.5F, look.px(2.0F), look.px(kThickest));
  gl::RibbonBatch batch;
  batch.ribbons.reserve(choice.lines.size());
  for (const Line& line : choice.lines) {
    if (!within(columns.queries, line.query) || !within(columns.keys, line.key)) continue;
    if (!seen(columns.queries, line.query) && !seen(columns.keys, line.key)) continue;
    const float weight = std::min(std::abs(line.weight), 1.0F);
    const float y0 = columns.queries.y(line.query);
    const float y1 = columns.keys.y(line.key);
    const float slope = kSteepness * (y1 - y0) / across;  // ribbons are measured upright
    const float half =
        0.5F * std::max(look.px(kThinnest), weight * thickest) * std::sqrt(1.0F + slope * slope);
    const float alpha = (dark ? 0.36F : 0.26F) + 0.5F * std::sqrt(weight);
    const gl::Rgba color =
        rgba(headColor(look.theme, static_cast<std::size_t>(line.head)), std::min(alpha, 0.85F));
    gl::Ribbon ribbon;
    ribbon.x0 = columns.left;
    ribbon.top0 = y0 - half;
    ribbon.bottom0 = y0 + half;
    ribbon.x1 = columns.right;
    ribbon.top1 = y1 - half;
    ribbon.bottom1 = y1 + half;
    ribbon.from = ribbon.to = color;
    batch.ribbons.push_back(ribbon);
  }
  const auto drawn = static_cast<Index>(batch.ribbons.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = std::min(columns.queries.top, columns.keys.top) - look.px(3);
  const float bottom = std::max(columns.queries.bottom, columns.keys.bottom) + look.px(3);
  list->PushClipRect({columns.left, top}, {columns.right, bottom}, true);
  addRibbons(list, look.scene, std::move(batch));
  list->PopClipRect();
  return drawn;
}

void drawWeights(const Panel& panel, const TokenColumns& columns, const LineChoice& choice) {
  if (!columns.at.any()) return;
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const bool byQuery = columns.at.query >= 0;
  const TokenColumn& column = byQuery ? columns.keys : columns.queries;
  std::map<Index, std::vector<const Line*>> byToken;  // strongest first
  std::vector<Index> order;                           // tokens, strongest first
  for (auto line = choice.lines.rbegin(); line != choice.lines.rend(); ++line) {
    const Index token = byQuery ? line->key : line->query;
    if (!within(column, token) || !seen(column, token)) continue;
    auto& lines = byToken[token];
    if (lines.empty()) order.push_back(token);
    lines.push_back(&*line);
  }
  ImFont* font =
      column.pitch >= fontSize(look.fonts.monoSmall) ? look.fonts.monoSmall : look.fonts.tiny;
  const float height = fontSize(font);
  const float most = (columns.right - columns.left) * 0.6F;
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::vector<float> taken;
  for (const Index token : order) {
    const float y = column.y(token);
    const auto close = [&](float other) { return std::abs(other - y) < height * 0.95F; };
    if (std::any_of(taken.begin(), taken.end(), close)) continue;
    taken.push_back(y);
    std::vector<std::pair<std::string, ImU32>> texts;
    float width = 0.0F;
    for (const Line* line : byToken[token]) {
      texts.emplace_back(weightLabel(line->weight),
                         headColor(t, static_cast<std::size_t>(line->head)));
      const float more = textSize(font, texts.back().first).x + look.px(5);
      if (width + more > most) {
        texts.back() = {"…", t.textMuted};
        width += textSize(font, "…").x + look.px(5);
        break;
      }
      width += more;
    }
    float x = byQuery ? columns.right - width : columns.left + look.px(5);
    list->AddRectFilled({x - look.px(3), y - height * 0.5F},
                        {x + width - look.px(3), y + height * 0.5F}, withAlpha(t.panel, 0.85F),
                        look.px(3));
    for (const auto& [text, color] : texts) {
      drawText(list, font, {x, y - height * 0.5F}, color, text);
      x += textSize(font, text).x + look.px(5);
    }
  }
}

}  // namespace headscope::ui
