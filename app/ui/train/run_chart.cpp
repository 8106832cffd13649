#include "app/ui/train/run_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

ChartFrame RunChart::frameOf(const FrameContext& look, Rect room, const RunSteps& steps,
                             const std::string& title, const std::vector<ChartKey>& shownKeys,
                             const ChartAxis& y) {
  drawChartTitle(look, room, title, shownKeys);
  ChartFrame frame{room, roundAxis(0.0, static_cast<double>(steps.all)), y};
  frame.xName = "step";
  return frame;
}

RunChart::RunChart(const FrameContext& look, Rect room, const RunSteps& steps,
                   const std::string& title, std::vector<ChartKey> keys, const ChartAxis& y,
                   bool showsKeys)
    : look_(look),
      steps_(steps),
      keys_(std::move(keys)),
      chart_(look,
             frameOf(look, room, steps, title, showsKeys ? keys_ : std::vector<ChartKey>(), y)),
      curves_(keys_.size()),
      list_(ImGui::GetWindowDrawList()) {
  chart_.drawAxes(list_);
}

void RunChart::curve(std::size_t key, std::vector<ChartPoint> points) {
  const ChartKey& of = keys_[key];
  if (of.mark) {
    chart_.series(list_, points, of.color, *of.mark);
  } else {
    chart_.curve(list_, points, of.color);
  }
  curves_[key] = std::move(points);
}

void RunChart::level(double y) const {
  const float at = chart_.at(0.0, y).y;
  list_->AddLine({chart_.plot().a.x, at}, {chart_.plot().b.x, at}, look_.theme.divider,
                 look_.space.thin);
}

void RunChart::endNames() const {
  ImFont* font = look_.fonts.tiny;
  struct Name {
    ImVec2 at;
    std::size_t key;
  };
  std::vector<Name> names;
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    if (curves_[i].empty() || !std::isfinite(curves_[i].back().y)) continue;
    const ImVec2 end = chart_.at(curves_[i].back());
    const float width = textSize(font, keys_[i].name).x;
    const float x = std::min(end.x + look_.space.tight, chart_.plot().b.x - width);
    names.push_back({{x, end.y - fontSize(font) * 0.5F}, i});
  }
  std::ranges::sort(names, {}, [](const Name& name) { return name.at.y; });
  float free = chart_.plot().a.y;
  for (const Name& name : names) {
    const ChartKey& key = keys_[name.key];
    const ImVec2 at(name.at.x, std::max(name.at.y, free));
    free = at.y + fontSize(font);
    const Rect ground = Rect::at(at, textSize(font, key.name));
    list_->AddRectFilled(ground.a, ground.b, withAlpha(look_.theme.panel, 0.8F));
    drawText(list_, font, at, key.color, key.name);
  }
}

void RunChart::markNames(const std::vector<RunMark>& marks) const {
  const float line = fontSize(look_.fonts.tiny) + look_.space.hair;
  float y = chart_.plot().a.y;
  for (const RunMark& mark : marks) {
    const std::string text = fmt::format("{} {}", mark.name, mark.step);
    const float x = chart_.at(static_cast<double>(mark.step), 0.0).x + look_.space.thin;
    const float wide = textSize(look_.fonts.tiny, text).x;
    drawText(list_, look_.fonts.tiny, {std::min(x, chart_.plot().b.x - wide), y}, mark.color, text);
    y += line;
  }
}

std::optional<Index> RunChart::finish(const char* id, const std::vector<RunMark>& marks,
                                      const std::function<std::string(Index)>& words) const {
  for (const RunMark& mark : marks) {
    chart_.cursor(list_, static_cast<double>(mark.step), withAlpha(mark.color, 0.45F));
  }
  chart_.cursor(list_, static_cast<double>(steps_.shown), look_.theme.text, 1.5F);
  chart_.item(id);
  const auto step = std::clamp<Index>(std::llround(chart_.underMouse().x), 0, steps_.taken);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (const std::string text = words(step); !text.empty()) showTooltip(text);
  }
  return ImGui::IsItemActive() ? std::optional(step) : std::nullopt;
}

}  // namespace headscope::ui
