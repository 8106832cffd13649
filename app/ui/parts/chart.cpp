#include "app/ui/parts/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/parts/series_mark.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"

namespace headscope::ui {
namespace {

constexpr float kMarkRadius = 3.5F;  // points, of the shapes of a series

constexpr float kNamesFrom = 5.0F;     // lines of text; lower charts have no names of axes
constexpr double kNearlyRound = 1e-4;  // the distance from a tick, per range, that counts as 0

float widestTick(ImFont* font, const ChartAxis& axis) {
  float widest = 0.0F;
  for (const double tick : axis.ticks) {
    widest = std::max(widest, textSize(font, axis.textOf(tick)).x);
  }
  return widest;
}

/// Returns the least n at which every n-th of `count` ticks has room for its number: an axis with
/// uneven gaps between its numbers reads as if it were bent. `fit` tells of two neighbours.
template <typename Fit>
std::size_t tickStride(std::size_t count, const Fit& fit) {
  std::size_t stride = 1;
  for (std::size_t i = 0; i + stride < count;) {
    if (fit(i, i + stride)) {
      i += stride;
    } else {
      ++stride;
      i = 0;
    }
  }
  return stride;
}

bool isFinite(const ChartPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

}  // namespace

double ChartAxis::fraction(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

double ChartAxis::value(double fraction) const {
  const double f = std::clamp(fraction, 0.0, 1.0);
  return logarithmic ? low * std::pow(high / low, f) : low + (high - low) * f;
}

std::string ChartAxis::textOf(double tick) const {
  if (text) return text(tick);
  constexpr double kThousand = 1000.0, kExact = 1e15;
  const double magnitude = std::abs(tick);
  const bool whole = tick == std::round(tick) && magnitude < kExact;
  if (whole && magnitude >= kThousand) return withThousands(std::llround(tick));
  return tick >= kThousand ? fmt::format("{:g}", tick) : fmt::format("{:.3g}", tick);
}

ChartAxis roundAxis(double low, double high) {
  ChartAxis axis;
  axis.ticks = roundTicks(low, high);
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  return axis;
}

std::vector<double> roundTicks(double low, double high) {
  constexpr double kMostSteps = 5.0;
  const double range = high - low;
  if (!(range > 0.0) || !std::isfinite(range)) return {0.0, 1.0};
  const double step = tickStep(range, kMostSteps);
  std::vector<double> ticks;
  double n = std::floor((low + kNearlyRound * range) / step);
  for (; ticks.empty() || ticks.back() < high - kNearlyRound * range; n += 1.0) {
    ticks.push_back(n * step);
  }
  if (ticks.size() == 1) ticks.push_back(ticks.front() + step);
  return ticks;
}

double roundedUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double leading : {1.0, 2.0, 3.0, 5.0}) {
    if (value <= leading * power) return leading * power;
  }
  return 10.0 * power;
}

double tickStep(double range, double most) {
  const double least = range / most * (1.0 - 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double leading : {1.0, 2.0, 5.0}) {
    if (leading * power >= least) return leading * power;
  }
  return 10.0 * power;
}

ChartBars ChartBars::fitting(Index things, float width, float least) {
  const auto most = std::max<Index>(1, static_cast<Index>(width / least));
  return {things, std::max<Index>(1, (things + most - 1) / most)};
}

/// The left edge of the number of a tick: centred on it, but within the room.
static float numberLeft(float centre, float width, const Rect& room) {
  return std::clamp(centre - width * 0.5F, room.a.x, std::max(room.a.x, room.b.x - width));
}

Chart::Chart(const FrameContext& look, ChartFrame frame) : look_(look), frame_(std::move(frame)) {
  const Spacing& s = look.space;
  ImFont* mono = numbersFont();
  Rect plot = frame_.room;
  const bool named = !frame_.xName.empty() || !frame_.yName.empty();
  const float name = named ? fontSize(look.fonts.small) + s.tight : 0.0F;
  namesShown_ = named && plot.height() > kNamesFrom * name;
  plot.cutTop(namesShown_ && !frame_.yName.empty() ? name : s.tight);
  const float ticks = frame_.yTicks ? widestTick(mono, frame_.y) + s.small : 0.0F;
  plot.cutLeft(std::max(ticks, frame_.left));
  if (frame_.below == nullptr && !frame_.x.ticks.empty()) plot.cutRight(s.small);
  if (frame_.below != nullptr) {
    labels_.emplace(look, *frame_.below, plot.width(), frame_.room.height() * frame_.belowShare);
    plot.cutBottom(labels_->room());
  } else if (!frame_.x.ticks.empty()) {
    plot.cutBottom(fontSize(mono) + s.tight);
  }
  plot_ = plot;
  if (namesShown_ && !frame_.xName.empty() && !nameBetweenTicks()) {
    xNameBelow_ = name;
    plot.cutBottom(name);
  }
  plot_ = {plot.a, {std::max(plot.b.x, plot.a.x + s.wide), std::max(plot.b.y, plot.a.y + s.large)}};
}

ImVec2 Chart::at(double xValue, double yValue) const {
  const auto along = [](const ChartAxis& axis, double value) {
    return static_cast<float>(std::clamp(axis.fraction(value), 0.0, 1.0));
  };
  return {plot_.a.x + plot_.width() * along(frame_.x, xValue),
          plot_.b.y - plot_.height() * along(frame_.y, yValue)};
}

void Chart::drawTicks(ImDrawList* list) const {
  ImFont* mono = numbersFont();
  const std::vector<double>& ticks = frame_.y.ticks;
  const auto yOf = [&](std::size_t i) { return at(frame_.x.low, ticks[i]).y; };
  const std::size_t stride = tickStride(ticks.size(), [&](std::size_t a, std::size_t b) {
    return std::abs(yOf(a) - yOf(b)) >= fontSize(mono);
  });
  for (std::size_t i = 0; i < ticks.size(); i += stride) {
    const std::string text = frame_.y.textOf(ticks[i]);
    const ImVec2 size = textSize(mono, text);
    drawText(list, mono, {plot_.a.x - size.x - look_.space.tight, yOf(i) - size.y * 0.5F},
             look_.theme.textMuted, text);
  }
}

void Chart::drawAxes(ImDrawList* list) const {
  const Theme& t = look_.theme;
  const Spacing& s = look_.space;
  ImFont* mono = numbersFont();
  for (const double tick : frame_.y.ticks) {
    const float y = at(frame_.x.low, tick).y;
    list->AddLine({plot_.a.x, y}, {plot_.b.x, y}, t.divider);
  }
  if (frame_.yTicks) drawTicks(list);
  if (frame_.below == nullptr) {
    const std::vector<double>& ticks = frame_.x.ticks;
    const auto halfOf = [&](std::size_t i) {
      return textSize(mono, frame_.x.textOf(ticks[i])).x * 0.5F;
    };
    const auto xOf = [&](std::size_t i) { return at(ticks[i], frame_.y.low).x; };
    const std::size_t stride = tickStride(ticks.size(), [&](std::size_t a, std::size_t b) {
      return xOf(a) + halfOf(a) + s.tight <= xOf(b) - halfOf(b);
    });
    for (std::size_t i = 0; i < ticks.size(); i += stride) {
      const ImVec2 p(xOf(i), plot_.b.y);
      const std::string text = frame_.x.textOf(ticks[i]);
      const ImVec2 size = textSize(mono, text);
      list->AddLine(p, {p.x, p.y + s.tight}, t.textMuted);
      const float left = numberLeft(p.x, size.x, frame_.room);
      drawText(list, mono, {left, p.y + s.thin}, t.textMuted, text);
    }
  }
  const float zero = at(0.0, std::clamp(0.0, frame_.y.low, frame_.y.high)).y;
  list->AddLine({plot_.a.x, zero}, {plot_.b.x, zero}, t.textMuted);
  list->AddLine(plot_.a, {plot_.a.x, plot_.b.y}, t.textMuted);
  if (labels_) labels_->draw(list, plot_);
  if (!namesShown_) return;
  ImFont* small = look_.fonts.small;
  if (!frame_.xName.empty()) {
    const auto between = xNameBelow_ > 0.0F ? std::nullopt : nameBetweenTicks();
    const ImVec2 at(between.value_or(plot_.b.x - richTextSize(look_.fonts, small, frame_.xName).x),
                    between ? plot_.b.y + s.thin : frame_.room.b.y - fontSize(small));
    drawRichText(list, look_.fonts, small, at, t.textMuted, frame_.xName);
  }
  drawRichText(list, look_.fonts, small, {plot_.a.x, frame_.room.a.y}, t.textMuted, frame_.yName);
}

std::optional<float> Chart::nameBetweenTicks() const {
  if (!hasTicksBelow() || frame_.x.ticks.size() < 2) return std::nullopt;
  const auto last = frame_.x.ticks.rbegin();
  const auto widthOf = [&](double tick) {
    return textSize(numbersFont(), frame_.x.textOf(tick)).x;
  };
  const auto leftOf = [&](double tick) {
    return numberLeft(at(tick, frame_.y.low).x, widthOf(tick), frame_.room);
  };
  const float from = leftOf(last[1]) + widthOf(last[1]);
  const float to = leftOf(last[0]);
  const float width = richTextSize(look_.fonts, look_.fonts.small, frame_.xName).x;
  if (to - from < width + 2.0F * look_.space.small) return std::nullopt;
  return (from + to - width) * 0.5F;
}

void Chart::curve(ImDrawList* list, std::span<const ChartPoint> points, ImU32 color,
                  float width) const {
  std::vector<ImVec2> line;
  line.reserve(points.size());
  for (const ChartPoint& point : points) {
    if (isFinite(point)) line.push_back(at(point));
  }
  drawCurve(list, line, color, look_.px(width));
}

void Chart::series(ImDrawList* list, std::span<const ChartPoint> points, ImU32 color,
                   std::size_t mark) const {
  constexpr float kApart = 72.0F, kFewPoints = 20.0F;  // points between two
  curve(list, points, withAlpha(color, 0.6F));
  std::vector<ImVec2> line;
  for (const ChartPoint& point : points) {
    if (isFinite(point)) line.push_back(at(point));
  }
  // few points have a shape each, since they are what was measured
  const float perPoint =
      line.empty() ? 0.0F : (line.back().x - line.front().x) / static_cast<float>(line.size());
  if (perPoint >= look_.px(kFewPoints)) {
    for (const ImVec2& point : line) {
      drawSeriesMark(list, point, look_.px(kMarkRadius), color, mark);
    }
    return;
  }
  drawSeriesMarks(list, line, look_.px(kMarkRadius), look_.px(kApart), color, mark);
}

void Chart::dot(ImDrawList* list, const ChartPoint& point, ImU32 color, float radius) const {
  if (isFinite(point)) list->AddCircleFilled(at(point), look_.px(radius), color);
}

void Chart::cursor(ImDrawList* list, double x, ImU32 color, float width) const {
  const float along = at(x, frame_.y.low).x;
  list->AddLine({along, plot_.a.y}, {along, plot_.b.y}, color, look_.px(width));
}

Rect Chart::band(Index n, Index count) const {
  const float pitch = plot_.width() / static_cast<float>(count);
  const float left = plot_.a.x + static_cast<float>(n) * pitch;
  // narrow bars stand on whole points, so that no seams show between them
  if (pitch < look_.px(4)) {
    return {{std::round(left), plot_.a.y}, {std::round(left + pitch), plot_.b.y}};
  }
  const float thick = std::min(pitch * 0.8F, look_.px(44));
  const float middle = left + pitch * 0.5F;
  return {{middle - thick * 0.5F, plot_.a.y}, {middle + thick * 0.5F, plot_.b.y}};
}

void Chart::bar(ImDrawList* list, Index n, Index count, double from, double to, ImU32 color) const {
  if (from == to) return;
  const Rect place = band(n, count);
  const float top = at(frame_.x.low, std::max(from, to)).y;
  const float bottom = at(frame_.x.low, std::min(from, to)).y;
  const float rounding = place.width() > look_.px(6) ? look_.space.thin : 0.0F;
  list->AddRectFilled({place.a.x, top}, {place.b.x, bottom}, color, rounding,
                      to >= from ? ImDrawFlags_RoundCornersTop : ImDrawFlags_RoundCornersBottom);
}

void Chart::stack(ImDrawList* list, Index n, Index count, std::span<const double> parts,
                  std::span<const ImU32> colors) const {
  const Rect place = band(n, count);
  for (const StackPiece& piece : stackOf(parts)) {
    const float top = at(frame_.x.low, std::max(piece.from, piece.to)).y;
    const float bottom = at(frame_.x.low, std::min(piece.from, piece.to)).y;
    list->AddRectFilled({place.a.x, top}, {place.b.x, bottom}, colors[piece.part]);
  }
}

bool Chart::item(const char* id) const {
  ImGui::SetCursorScreenPos(plot_.a);
  return pictureArea(id, plot_.size());
}

std::optional<Index> Chart::hovered(Index count) const {
  if (!ImGui::IsItemHovered()) return std::nullopt;
  const float along = (ImGui::GetIO().MousePos.x - plot_.a.x) / plot_.width();
  return std::clamp<Index>(static_cast<Index>(along * static_cast<float>(count)), 0, count - 1);
}

ChartPoint Chart::underMouse() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return {frame_.x.value((mouse.x - plot_.a.x) / plot_.width()),
          frame_.y.value((plot_.b.y - mouse.y) / plot_.height())};
}

void drawCurve(ImDrawList* list, std::span<const ImVec2> points, ImU32 color, float width) {
  const auto sharp = [](ImVec2 a, ImVec2 b, ImVec2 c) {
    const ImVec2 in(b.x - a.x, b.y - a.y);
    const ImVec2 out(c.x - b.x, c.y - b.y);
    const float along = in.x * out.x + in.y * out.y;
    return along <= 0.5F * std::hypot(in.x, in.y) * std::hypot(out.x, out.y);
  };
  std::size_t from = 0;  // the first point of the part that is drawn in one go
  for (std::size_t i = 1; i < points.size(); ++i) {
    const bool ends = i + 1 == points.size() || sharp(points[i - 1], points[i], points[i + 1]);
    if (!ends) continue;
    list->AddPolyline(points.data() + from, static_cast<int>(i - from + 1), color, 0, width);
    // a point on a line that one sees through would show
    if (i + 1 < points.size() && color >> IM_COL32_A_SHIFT == 255U)
      list->AddCircleFilled(points[i], width * 0.5F, color, 8);
    from = i;
  }
}

std::vector<StackPiece> stackOf(std::span<const double> parts) {
  std::vector<StackPiece> pieces;
  double above = 0.0;
  double below = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double& end = parts[i] < 0.0 ? below : above;
    pieces.push_back({i, end, end + parts[i]});
    end += parts[i];
  }
  return pieces;
}

void drawBarLine(const FrameContext& look, ImDrawList* list, Rect line, float names, float numbers,
                 const BarLine& what) {
  const Spacing& s = look.space;
  const auto centred = [&](ImFont* font) { return line.centre().y - fontSize(font) * 0.5F; };
  ImFont* font = look.fonts.small;
  const std::string name = elided(font, what.name, names);
  drawText(list, font, {line.a.x + names - textSize(font, name).x, centred(font)}, what.ink, name);
  line.cutLeft(names + s.medium);
  line.cutRight(numbers + s.small);
  const float length =
      what.share > 0.0F ? std::max(line.width() * what.share, 1.5F * s.hair) : 0.0F;
  const float thick = line.height() * 0.32F;
  const ImVec2 middle(line.a.x + length, line.centre().y);
  list->AddRectFilled({line.a.x, middle.y - thick}, {middle.x, middle.y + thick}, what.bar, s.thin);
  ImFont* mono = look.fonts.monoSmall;
  drawText(list, mono, {middle.x + s.small, centred(mono)},
           what.numberInk != 0 ? what.numberInk : what.ink, what.number);
}

void drawChartTitle(const FrameContext& look, Rect& room, const std::string& title,
                    const std::vector<ChartKey>& keys) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Spacing& s = look.space;
  ImFont* font = look.fonts.small;
  const float line = fontSize(font) + s.tight;
  const float swatch = s.medium;
  const std::string shown = elided(font, title, room.width());
  drawText(list, font, room.a, look.theme.text, shown);
  ImVec2 pen(room.a.x + textSize(font, shown).x + s.medium, room.a.y);
  for (const ChartKey& key : keys) {
    const float length = swatch + s.tight + richTextSize(look.fonts, font, key.name).x;
    if (pen.x > room.a.x && pen.x + length > room.b.x) pen = {room.a.x, pen.y + line};
    const float middle = pen.y + fontSize(font) * 0.5F;
    if (key.mark) {
      drawSeriesMark(list, {pen.x + swatch * 0.5F, middle}, look.px(kMarkRadius), key.color,
                     *key.mark);
    } else {
      list->AddRectFilled({pen.x, middle - s.thin}, {pen.x + swatch, middle + s.thin}, key.color);
    }
    drawRichText(list, look.fonts, font, {pen.x + swatch + s.tight, pen.y}, look.theme.textMuted,
                 key.name);
    pen.x += length + s.medium;
  }
  room.cutTop(pen.y + line - room.a.y);
}

}  // namespace headscope::ui
