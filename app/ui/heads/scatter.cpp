#include "app/ui/heads/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/heads/disc_places.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/tools/chart.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLeastRadius = 3.5F;
constexpr float kMostRadius = 9.0F;
constexpr float kNumberedRadius = 7.0F;  // smaller discs have no room for a number

/// An axis' name at the cursor, which opens a list of all metrics. True while pointed at.
bool axisName(const Look& look, const char* id, Metric metric, std::string& key, float room) {
  ImFont* font = look.fonts.small;
  const std::string text = elided(font, titleWithUnit(metric) + " ▾", room);
  const ImVec2 size = textSize(font, text);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(id);
  if (ImGui::InvisibleButton("choose", {size.x, size.y + look.px(2)})) ImGui::OpenPopup("metrics");
  const bool pointed = ImGui::IsItemHovered();
  tip(look, definitionText(metric));
  drawText(ImGui::GetWindowDrawList(), font, at, pointed ? look.theme.text : look.theme.textMuted,
           text);
  if (beginPopup("metrics")) {
    for (const MetricInfo& m : allMetrics()) {
      if (ImGui::MenuItem(titleWithUnit(m.metric).c_str(), nullptr, m.metric == metric)) {
        key = m.key;
      }
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
  return pointed;
}

struct Point {
  Index head;
  double x, y;
};

std::vector<Point> pointsOf(const HeadReport& report, const ScatterAxes& axes) {
  std::vector<Point> points;
  for (std::size_t h = 0; h < report.metrics.size(); ++h) {
    const Measured& x = report.metrics[h][axes.x];
    const Measured& y = report.metrics[h][axes.y];
    if (x && y) points.push_back({static_cast<Index>(h), *x, *y});
  }
  return points;
}

ChartAxis axisOf(const std::vector<Point>& points, double Point::*value) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.*value);
  return axisAround(values);
}

bool same(const std::vector<ImVec2>& a, const std::vector<ImVec2>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](ImVec2 p, ImVec2 q) { return p.x == q.x && p.y == q.y; });
}

void updatePlaces(ScatterMemory& memory, const Chart& chart, const std::vector<Point>& points,
                  float radius, bool numbered) {
  std::vector<ImVec2> wanted;
  for (const Point& point : points) wanted.push_back(chart.at(point.x, point.y));
  if (radius == memory.radius && same(wanted, memory.wanted)) return;
  memory.places = numbered ? discPlaces(wanted, radius, chart.a, chart.b) : wanted;
  memory.wanted = std::move(wanted);
  memory.radius = radius;
}

/// The discs, the chosen one last; gives the one pointed at.
std::optional<Index> discs(const Panel& panel, const ScatterMemory& memory,
                           const std::vector<Point>& points, bool numbered) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float radius = memory.radius;
  std::optional<Index> pointed;
  for (std::size_t i = 0; i < points.size(); ++i) {  // what has been moved shows where from
    const ImVec2 from = memory.wanted[i];
    const ImVec2 to = memory.places[i];
    if (std::hypot(to.x - from.x, to.y - from.y) < radius * 0.5F) continue;
    const ImU32 color = headColor(t, static_cast<std::size_t>(points[i].head));
    list->AddLine(from, to, withAlpha(color, 0.5F), look.px(1));
    list->AddCircleFilled(from, look.px(1.7F), color);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Index head = points[i].head;
    const ImVec2 at = memory.places[i];
    ImGui::SetCursorScreenPos({at.x - radius, at.y - radius});
    ImGui::PushID(static_cast<int>(head));
    if (ImGui::InvisibleButton("disc", {2 * radius, 2 * radius})) panel.view.head = head;
    if (ImGui::IsItemHovered()) pointed = head;
    ImGui::PopID();
    const ImU32 color = headColor(t, static_cast<std::size_t>(head));
    list->AddCircleFilled(at, radius, numbered ? color : withAlpha(color, 0.75F));
    if (numbered) {
      drawTextCentred(list, look.fonts.tiny, at, legibleOn(color), std::to_string(head + 1));
    }
    if (head == panel.view.head || pointed == head) {
      list->AddCircle(at, radius + look.px(1.5F), t.text, 0, look.px(1.5F));
    }
  }
  return pointed;
}

/// The other heads whose dots touch this one's.
std::vector<Index> togetherWith(const ScatterMemory& memory, const std::vector<Point>& points,
                                Index head) {
  const auto own = std::find_if(points.begin(), points.end(),
                                [head](const Point& point) { return point.head == head; });
  std::vector<Index> together;
  if (own == points.end()) return together;
  const ImVec2 at = memory.places[static_cast<std::size_t>(own - points.begin())];
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ImVec2 other = memory.places[i];
    const bool near = std::hypot(other.x - at.x, other.y - at.y) < memory.radius;
    if (near && points[i].head != head) together.push_back(points[i].head);
  }
  return together;
}

void whyEmpty(const Look& look, const HeadReport& report, const ScatterAxes& axes, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  for (const Metric metric : {axes.y, axes.x}) {
    for (const std::string& sentence : undefinedInWords(report, metric)) {
      wrappedLabel(look, look.fonts.small, look.theme.text, sentence);
    }
    if (axes.x == axes.y) break;
  }
}

}  // namespace

ScatterAxes scatterAxes(const HeadsView& view) {
  return {metricFromKey(view.scatterX).value_or(Metric::meanDistance),
          metricFromKey(view.scatterY).value_or(Metric::entropy)};
}

ScatterPointed scatter(const Panel& panel, ScatterMemory& memory, const HeadReport& report,
                       ImVec2 size) {
  const Look& look = panel.look;
  HeadsView& view = panel.view.heads;
  const ScatterAxes axes = scatterAxes(view);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float name = fontSize(look.fonts.small) + look.px(4);
  ScatterPointed pointed;
  if (axisName(look, "y axis", axes.y, view.scatterY, size.x)) pointed.metric = axes.y;
  const std::vector<Point> points = pointsOf(report, axes);
  const ImVec2 corner(at.x, at.y + name);
  const ImVec2 room(size.x, size.y - 2 * name);
  if (points.empty()) {
    pointed.empty = true;
    whyEmpty(look, report, axes, {corner.x, corner.y + look.px(6)});
  } else {
    const Chart chart =
        placeChart(look, corner, room, axisOf(points, &Point::x), axisOf(points, &Point::y));
    drawAxes(look, chart, "");
    const float scale = look.px(1);
    const float radius = discRadius(points.size(), {chart.b.x - chart.a.x, chart.b.y - chart.a.y},
                                    kLeastRadius * scale, kMostRadius * scale);
    const bool numbered = radius >= look.px(kNumberedRadius);
    updatePlaces(memory, chart, points, radius, numbered);
    pointed.head = discs(panel, memory, points, numbered);
    if (!numbered) {
      pointed.together = togetherWith(memory, points, pointed.head.value_or(panel.view.head));
    }
  }
  const float width = std::min(textSize(look.fonts.small, titleWithUnit(axes.x) + " ▾").x, size.x);
  ImGui::SetCursorScreenPos({at.x + size.x - width, at.y + size.y - name + look.px(2)});
  if (axisName(look, "x axis", axes.x, view.scatterX, size.x)) pointed.metric = axes.x;
  ImGui::SetCursorScreenPos({at.x, at.y + size.y});
  return pointed;
}

}  // namespace headscope::ui
