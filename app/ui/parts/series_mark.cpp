#include "app/ui/parts/series_mark.h"

#include <array>
#include <cmath>

namespace headscope::ui {
namespace {

enum class MarkShape { circle, square, triangle, diamond };

/// The corners of a shape of the radius 1; a circle has many.
std::span<const ImVec2> cornersOf(MarkShape shape) {
  static const std::array<ImVec2, 4> kSquare{
      {{-0.8F, -0.8F}, {0.8F, -0.8F}, {0.8F, 0.8F}, {-0.8F, 0.8F}}};
  static const std::array<ImVec2, 3> kTriangle{{{0.0F, -1.0F}, {1.0F, 0.8F}, {-1.0F, 0.8F}}};
  static const std::array<ImVec2, 4> kDiamond{
      {{0.0F, -1.1F}, {1.1F, 0.0F}, {0.0F, 1.1F}, {-1.1F, 0.0F}}};
  switch (shape) {
    case MarkShape::square:
      return kSquare;
    case MarkShape::triangle:
      return kTriangle;
    case MarkShape::diamond:
      return kDiamond;
    case MarkShape::circle:
      break;
  }
  return {};
}

}  // namespace

void drawSeriesMark(ImDrawList* list, ImVec2 centre, float radius, ImU32 color, std::size_t n) {
  const auto shape = static_cast<MarkShape>(n % 4);
  const bool filled = n % kSeriesMarks < 4;
  const float line = radius * 0.45F;
  if (shape == MarkShape::circle) {
    if (filled) return list->AddCircleFilled(centre, radius, color);
    return list->AddCircle(centre, radius * 0.8F, color, 0, line);
  }
  const std::span<const ImVec2> corners = cornersOf(shape);
  for (const ImVec2& corner : corners) {
    list->PathLineTo({centre.x + corner.x * radius, centre.y + corner.y * radius});
  }
  filled ? list->PathFillConvex(color) : list->PathStroke(color, ImDrawFlags_Closed, line);
}

void drawSeriesMarks(ImDrawList* list, std::span<const ImVec2> line, float radius, float apart,
                     ImU32 color, std::size_t n) {
  if (line.empty()) return;
  const float share = static_cast<float>(n % kSeriesMarks) / static_cast<float>(kSeriesMarks);
  float next = apart * share;  // the length along the line to the next shape
  for (std::size_t i = 1; i < line.size(); ++i) {
    const ImVec2 from = line[i - 1], to = line[i];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    for (; next < length; next += apart) {
      const float at = next / length;
      drawSeriesMark(list, {from.x + (to.x - from.x) * at, from.y + (to.y - from.y) * at}, radius,
                     color, n);
    }
    next -= length;
  }
  drawSeriesMark(list, line.back(), radius, color, n);
}

}  // namespace headscope::ui
