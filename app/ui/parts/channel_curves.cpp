#include "app/ui/parts/channel_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/hover.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/tip_place.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kHeadColours = 12;
constexpr Index kMostCurves = 8;      // more would look alike
constexpr float kPointsApart = 2.0F;  // steps of a curve that lie closer are drawn as one
constexpr float kStandsOut = 0.4F;    // as a share of a channel's range
constexpr float kStripShare = 1.35F;  // as a factor of the font's size
constexpr float kLeastPicture = 9.0F, kMostPicture = 20.0F;  // the side of a patch, in points

/// The geometry of a strip: the steps along it and the readings across it.
struct Strip {
  Rect at;
  bool down = false;

  float begin() const { return down ? at.a.y : at.a.x; }
  float end() const { return down ? at.b.y : at.b.x; }
  /// Returns the point at `along`; `height` runs from 0 at the names to 1 at the picture.
  ImVec2 point(float along, float height) const {
    if (down) return {at.b.x + (at.a.x - at.b.x) * height, along};
    return {along, at.b.y + (at.a.y - at.b.y) * height};
  }
};

class CurvePainter {
 public:
  CurvePainter(const AxisCurves& curves, ImDrawList* list, const Strip& strip)
      : curves_(curves),
        readings_(*curves.readings),
        look_(*curves.look),
        list_(list),
        strip_(strip) {}

  /// `place` returns the position of the n-th step of `count`.
  template <typename Place>
  void draw(Index count, Index lit, Place&& place) {
    if (count < 1 || strip_.end() - strip_.begin() < 1.0F) return;
    const float apart =
        count > 1 ? (place(count - 1) - place(0)) / static_cast<float>(count - 1) : kPointsApart;
    const auto together =
        static_cast<Index>(std::ceil(look_.px(kPointsApart) / std::max(apart, 1e-4F)));
    for (Index c = std::min(kMostCurves, channels()) - 1; c >= 0; --c) {
      curve(c, count, std::max<Index>(1, together), place);
    }
    const auto mark = [&](Index step, ImU32 color) {
      if (step < 0 || step >= count) return;
      list_->AddLine(strip_.point(place(step), 0.0F), strip_.point(place(step), 1.0F), color,
                     look_.space.hair);
    };
    mark(lit, look_.theme.textMuted);
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(strip_.at.a, strip_.at.b)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float along = strip_.down ? mouse.y : mouse.x;
    Index nearest = 0;
    for (Index i = 1; i < count; ++i) {
      if (std::abs(place(i) - along) < std::abs(place(nearest) - along)) nearest = i;
    }
    mark(nearest, look_.theme.text);
    tell(nearest);
  }

 private:
  Index channels() const { return std::ssize(readings_.channels); }
  bool holds(Index step) const {
    return curves_.first + step < readings_.lengths[static_cast<std::size_t>(curves_.item)];
  }
  float read(Index step, Index channel) const {
    return readings_.values.at({curves_.item, curves_.first + step, channel});
  }
  /// The height of a reading, in double precision: readings may be as large as float32 allows.
  float heightOf(double value, Index channel) const {
    const double low = readings_.lowest.at({curves_.item, channel});
    const double high = readings_.highest.at({curves_.item, channel});
    return high > low ? static_cast<float>(0.06 + 0.88 * (value - low) / (high - low)) : 0.5F;
  }

  /// Draws a line through the readings. Where several steps share a point, it passes through their
  /// mean, with a stroke to each reading that stands out.
  template <typename Place>
  void curve(Index channel, Index count, Index together, Place&& place) {
    const ImU32 color = channelColor(look_.theme, static_cast<std::size_t>(channel));
    std::vector<ImVec2> points;
    for (Index i = 0; i < count && holds(i); i += together) {
      float low = read(i, channel), high = low;
      double sum = 0.0;
      Index n = 0;
      for (; n < together && i + n < count && holds(i + n); ++n) {
        const float value = read(i + n, channel);
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value;
      }
      const float mean = heightOf(sum / static_cast<double>(n), channel);
      points.push_back(strip_.point(place(i), mean));
      for (const float other : {heightOf(low, channel), heightOf(high, channel)}) {
        if (std::abs(other - mean) < kStandsOut) continue;
        list_->AddLine(points.back(), strip_.point(place(i), other), color, look_.space.hair);
      }
    }
    drawCurve(list_, points, color, look_.px(1.4F));
  }

  void tell(Index step) const {
    if (!holds(step)) return;
    const std::size_t drawn = static_cast<std::size_t>(std::min(kMostCurves, channels()));
    std::vector<std::string> lines;
    for (std::size_t c = 0; c < drawn; ++c) {
      lines.push_back(fmt::format("{} {}", readings_.channels[c],
                                  number(read(step, static_cast<Index>(c)), 6)));
    }
    lines.insert(lines.begin(), fmt::format("t{}", curves_.first + step));
    if (channels() > kMostCurves) {
      lines.push_back(trFormat("and {} channels that are not drawn", channels() - kMostCurves));
    }
    const ImGuiStyle& style = ImGui::GetStyle();
    ImVec2 size{0.0F, 2.0F * style.WindowPadding.y};
    for (const std::string& line : lines) {
      size = {std::max(size.x, ImGui::CalcTextSize(line.c_str()).x + 2.0F * style.WindowPadding.x),
              size.y + ImGui::GetTextLineHeightWithSpacing()};
    }
    placeTooltipNextTo(strip_.at, size, look_.space.small);
    ImGui::BeginTooltip();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool ofChannel = i > 0 && i <= drawn;
      ImGui::PushStyleColor(ImGuiCol_Text,
                            ofChannel ? channelColor(look_.theme, i - 1) : look_.theme.text);
      ImGui::TextUnformatted(lines[i].c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
  }

  const AxisCurves& curves_;
  const Readings& readings_;
  const FrameContext& look_;
  ImDrawList* list_;
  Strip strip_;
};

/// Draws the pictures of patches along a strip; where they would overlap, only every n-th.
template <typename Place>
void drawPictures(const AxisCurves& curves, ImDrawList* list, const Strip& strip, Index count,
                  Place&& place) {
  if (count < 1) return;
  const float thick = strip.down ? strip.at.width() : strip.at.height();
  const float apart = count > 1 ? (place(count - 1) - place(0)) / static_cast<float>(count - 1)
                                : strip.end() - strip.begin();
  const float least = curves.look->px(kLeastPicture);
  const auto every =
      std::max<Index>(1, static_cast<Index>(std::ceil(least / std::max(apart, 1e-4F))));
  const float side = std::min(thick, apart * static_cast<float>(every) - curves.look->space.hair);
  std::vector<std::pair<Index, Rect>> tokens;
  for (Index i = 0; i < count; i += every) {
    const ImVec2 middle = strip.point(place(i), 0.5F);
    tokens.emplace_back(curves.first + i,
                        Rect::at({middle.x - 0.5F * side, middle.y - 0.5F * side}, {side, side}));
  }
  curves.pictures->draw(*curves.look, list, tokens);
}

}  // namespace

ImU32 channelColor(const Theme& theme, std::size_t channel) {
  return headColor(theme, kHeadColours - 1 - channel % kHeadColours);
}

float AxisCurves::room(ImFont* font) const {
  if (empty()) return 0.0F;
  const float strip = pictures != nullptr ? look->px(kMostPicture) : fontSize(font) * kStripShare;
  return strip + look->space.tight;
}

void AxisCurves::drawAcross(ImDrawList* list, const Rect& strip, Index count, Index lit) const {
  if (empty()) return;
  const float cell = strip.width() / static_cast<float>(std::max<Index>(count, 1));
  const auto place = [&](Index i) { return strip.a.x + (static_cast<float>(i) + 0.5F) * cell; };
  if (pictures != nullptr) return drawPictures(*this, list, {strip, false}, count, place);
  CurvePainter(*this, list, {strip, false}).draw(count, lit, place);
}

void AxisCurves::drawDown(ImDrawList* list, const Rect& strip, Index count, Index lit) const {
  if (empty()) return;
  const float cell = strip.height() / static_cast<float>(std::max<Index>(count, 1));
  const auto place = [&](Index i) { return strip.a.y + (static_cast<float>(i) + 0.5F) * cell; };
  if (pictures != nullptr) return drawPictures(*this, list, {strip, true}, count, place);
  CurvePainter(*this, list, {strip, true}).draw(count, lit, place);
}

void AxisCurves::drawAt(ImDrawList* list, const Rect& strip, std::span<const float> x) const {
  if (empty()) return;
  const auto place = [&](Index i) { return x[static_cast<std::size_t>(i)]; };
  if (pictures != nullptr) return drawPictures(*this, list, {strip, false}, std::ssize(x), place);
  CurvePainter(*this, list, {strip, false}).draw(std::ssize(x), -1, place);
}

AxisCurves inputCurves(const FrameContext& look, const Input& input, Index item, Index first) {
  if (look.pictures != nullptr && look.pictures->x.sameAs(input.x)) {
    return {&look, nullptr, item, first, look.pictures};
  }
  const Readings& readings = input.readings;
  if (readings.channels.empty() || item < 0 || item >= readings.values.dim(0)) return {};
  return {&look, &readings, item, first, nullptr};
}

AxisCurves laneCurves(const FrameContext& look, const Trace& trace, Lane lane, Index item,
                      Index first) {
  const bool steps = lane == Lane::query || lane == Lane::key;
  return steps ? inputCurves(look, *trace.document().input, item, first) : AxisCurves{};
}

}  // namespace headscope::ui
