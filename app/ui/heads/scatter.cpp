#include "app/ui/heads/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

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
constexpr float kLeastRows = 5.0F;       // radii of height below which they would go far sideways
constexpr float kMostPlain = 4.5F;       // radius of one without a number
constexpr float kTogether = 2.5F;        // values closer than this are told apart by nobody
constexpr float kDot = 2.5F;             // radius of what marks the value of a disc elsewhere

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

PlainAxis axisOf(const std::vector<Point>& points, double Point::*value) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.*value);
  return axisAround(values);
}

bool same(const std::vector<ImVec2>& a, const std::vector<ImVec2>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](ImVec2 p, ImVec2 q) { return p.x == q.x && p.y == q.y; });
}

/// "3", "2–5"; what would be long, by its count.
std::string discText(const std::vector<Index>& heads) {
  constexpr std::size_t kLong = 9;
  if (heads.size() == 1) return std::to_string(heads.front() + 1);
  const std::string text = numbersInWords(heads);
  return text.size() <= kLong ? text : fmt::format("{} heads", heads.size());
}

void placeDiscs(ScatterMemory& memory, const Look& look, const PlainChart& chart, ImVec2 a, ImVec2 b,
                const std::vector<Point>& points) {
  std::vector<Index> heads;
  std::vector<ImVec2> values;
  for (const Point& point : points) {
    heads.push_back(point.head);
    values.push_back(chart.at(point.x, point.y));
  }
  if (look.scale == memory.scale && heads == memory.heads && same(values, memory.values)) return;
  memory.discs.clear();
  for (const auto& group : together(values, look.px(kTogether))) {
    ScatterDisc disc;
    for (const std::size_t i : group) disc.heads.push_back(heads[i]);
    disc.text = discText(disc.heads);
    disc.value = disc.place = values[group.front()];
    memory.discs.push_back(std::move(disc));
  }
  const ImVec2 area(b.x - a.x, b.y - a.y);
  const float radius =
      discRadius(memory.discs.size(), area, look.px(kLeastRadius), look.px(kMostRadius));
  const bool numbered = radius >= look.px(kNumberedRadius) && area.y >= kLeastRows * radius;
  std::vector<Disc> wanted;
  for (ScatterDisc& disc : memory.discs) {
    const float text = textSize(look.fonts.tiny, disc.text).x * 0.5F + look.px(5);
    disc.half = {disc.heads.size() > 1 ? std::max(radius, text) : radius, radius};
    if (!numbered) {
      disc.text.clear();
      disc.half.x = disc.half.y = std::min(radius, look.px(kMostPlain));
    }
    wanted.push_back({disc.value, disc.half});
  }
  if (numbered) {
    const auto places = discPlaces(wanted, look.px(kDot), a, b);
    for (std::size_t i = 0; i < places.size(); ++i) {
      ScatterDisc& disc = memory.discs[i];
      if (places[i]) {
        disc.place = *places[i];
      } else {
        disc.text.clear();
        disc.half = {look.px(kLeastRadius), look.px(kLeastRadius)};
      }
    }
  }
  memory.heads = std::move(heads);
  memory.values = std::move(values);
  memory.scale = look.scale;
}

bool isOf(const ScatterDisc& disc, Index head) {
  return std::find(disc.heads.begin(), disc.heads.end(), head) != disc.heads.end();
}

/// The head a click chooses: the next one of it, where it is the chosen head's.
Index nextOf(const ScatterDisc& disc, Index chosen) {
  const auto at = std::find(disc.heads.begin(), disc.heads.end(), chosen);
  return at == disc.heads.end() || at + 1 == disc.heads.end() ? disc.heads.front() : *(at + 1);
}

/// From a disc that stands elsewhere to the dot at its value, over all discs.
void tie(ImDrawList* list, const Look& look, const ScatterDisc& disc, ImU32 color) {
  const ImVec2 from = disc.value;
  const float inner = disc.half.x - disc.half.y;  // of a longer disc, its straight part
  const ImVec2 to(std::clamp(from.x, disc.place.x - inner, disc.place.x + inner), disc.place.y);
  const float way = std::hypot(to.x - from.x, to.y - from.y);
  if (way < look.px(1)) return;
  const float share = std::max(0.0F, 1.0F - disc.half.y / way);
  const ImVec2 end(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  list->AddLine(from, end, look.theme.panel, look.px(3));
  list->AddLine(from, end, color, look.px(1.2F));
  list->AddCircleFilled(from, look.px(kDot + 1), look.theme.panel);
  list->AddCircleFilled(from, look.px(kDot), color);
}

/// The discs; gives the one pointed at.
const ScatterDisc* drawDiscs(const Panel& panel, const ScatterMemory& memory) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ScatterDisc* pointed = nullptr;
  const auto colorOf = [&](const ScatterDisc& disc) {
    const Index head = isOf(disc, panel.view.head) ? panel.view.head : disc.heads.front();
    return headColor(t, static_cast<std::size_t>(head));
  };
  for (const ScatterDisc& disc : memory.discs) {
    const ImVec2 a(disc.place.x - disc.half.x, disc.place.y - disc.half.y);
    const ImVec2 b(disc.place.x + disc.half.x, disc.place.y + disc.half.y);
    ImGui::SetCursorScreenPos(a);
    ImGui::PushID(static_cast<int>(disc.heads.front()));
    if (ImGui::InvisibleButton("disc", {b.x - a.x, b.y - a.y})) {
      panel.view.head = nextOf(disc, panel.view.head);
    }
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) pointed = &disc;
    ImGui::PopID();
    const bool numbered = !disc.text.empty();
    const ImU32 color = colorOf(disc);
    list->AddRectFilled(a, b, numbered ? color : withAlpha(color, 0.75F), disc.half.y);
    if (numbered) {
      drawTextCentred(list, look.fonts.tiny, disc.place, legibleOn(color), disc.text);
    }
    if (isOf(disc, panel.view.head) || hovered) {
      const float out = look.px(1.5F);
      list->AddRect({a.x - out, a.y - out}, {b.x + out, b.y + out}, t.text, disc.half.y + out, 0,
                    look.px(1.5F));
    }
  }
  for (const ScatterDisc& disc : memory.discs) tie(list, look, disc, colorOf(disc));
  return pointed;
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
    const PlainAxis across = axisOf(points, &Point::x);
    const PlainAxis up = axisOf(points, &Point::y);
    PlainChart chart = placeChart(look, corner, room, across, up);
    // discs at the ends cover no numbers
    const ImVec2 a = chart.a;
    const ImVec2 b = chart.b;
    const float margin = look.px(kMostRadius) + look.px(1);
    chart.x = withMargin(across, margin, b.x - a.x);
    chart.y = withMargin(up, std::min(margin, (b.y - a.y) * 0.25F), b.y - a.y);
    drawAxes(look, chart, "");
    placeDiscs(memory, look, chart, a, b, points);
    const ScatterDisc* disc = drawDiscs(panel, memory);
    if (disc != nullptr) {
      pointed.head = isOf(*disc, panel.view.head) ? panel.view.head : disc->heads.front();
    }
    const Index said = pointed.head.value_or(panel.view.head);
    for (const ScatterDisc& d : memory.discs) {
      if (!isOf(d, said)) continue;
      pointed.together = d.heads;
      std::erase(pointed.together, said);
    }
  }
  const float width = std::min(textSize(look.fonts.small, titleWithUnit(axes.x) + " ▾").x, size.x);
  ImGui::SetCursorScreenPos({at.x + size.x - width, at.y + size.y - name + look.px(2)});
  if (axisName(look, "x axis", axes.x, view.scatterX, size.x)) pointed.metric = axes.x;
  ImGui::SetCursorScreenPos({at.x, at.y + size.y});
  return pointed;
}

}  // namespace headscope::ui
