#include "app/ui/stage_layout.h"

#include <algorithm>

namespace headscope::ui {

std::vector<StagePlace> layoutStage(const std::vector<StageItem>& items, float width, float height,
                                    const StageMetrics& m) {
  // fixed room: signs, gaps and labels
  const float gap = m.sign * 0.4F;
  float fixed = 0.0F;
  float tokenColumns = 0.0F;   // token cells side by side
  float featureWeight = 0.0F;  // feature axes side by side
  float tallest = 1.0F;        // token cells above each other
  bool labelsBelow = false;
  const auto weightOf = [](const StageItem& item) {
    return item.ref.shownCols() > 2 * 64 ? 1.5F : 1.0F;
  };
  for (const StageItem& item : items) {
    fixed += gap;
    if (item.sign) {
      fixed += item.text.size() > 4 ? m.sign * 2.2F : m.sign;
      continue;
    }
    if (isTokenLane(item.rowLane)) {
      fixed += m.rowLabel;
      tallest = std::max(tallest, static_cast<float>(item.ref.shownRows()));
    }
    if (isTokenLane(item.colLane)) {
      tokenColumns += static_cast<float>(item.ref.shownCols());
      labelsBelow = true;
    } else {
      featureWeight += weightOf(item);
    }
  }
  const float roomX = std::max(width - fixed, 1.0F);
  const float roomY =
      std::max(height - m.title - (labelsBelow ? m.columnLabel : m.title * 0.4F), 1.0F);

  float cell = std::min(m.largestCell, roomY / tallest);  // its height
  float cellWidth = cell >= m.numberHeight ? cell * m.widestCell : cell;
  const float featureLeast =
      featureWeight > 0.0F ? std::clamp(m.shortestSide * featureWeight, roomX * 0.2F, roomX * 0.6F)
                           : 0.0F;
  if (tokenColumns > 0.0F) cellWidth = std::min(cellWidth, (roomX - featureLeast) / tokenColumns);
  if (tokenColumns > 0.0F && cellWidth < m.numberHeight) cell = std::min(cell, cellWidth);
  const float feature =
      featureWeight > 0.0F ? (roomX - cellWidth * tokenColumns) / featureWeight : 0.0F;
  const float deepest = std::min(roomY, std::max(cell * tallest, m.shortestSide * 1.6F));

  std::vector<StagePlace> places;
  places.reserve(items.size());
  float x = 0.0F;
  for (const StageItem& item : items) {
    StagePlace place;
    x += gap;
    if (item.sign) {
      place.width = item.text.size() > 4 ? m.sign * 2.2F : m.sign;
      place.height = cell * tallest;
    } else {
      const auto rows = static_cast<float>(item.ref.shownRows());
      const auto cols = static_cast<float>(item.ref.shownCols());
      if (isTokenLane(item.rowLane)) x += m.rowLabel;
      // a feature axis of few columns needs no more than square cells
      place.width = isTokenLane(item.colLane)
                        ? cellWidth * cols
                        : std::min(feature * weightOf(item), m.largestCell * 1.6F * cols);
      place.height = isTokenLane(item.rowLane)    ? cell * rows
                     : item.rowLane == Lane::none ? std::min(cell, m.largestCell)
                                                  : std::min(deepest, m.largestCell * 1.6F * rows);
    }
    place.x = x;
    x += place.width;
    places.push_back(place);
  }
  // centred across, and every item about one middle line, below the titles
  const float shift = std::max(0.0F, (width - x) * 0.5F);
  float bodyHeight = 0.0F;
  for (const StagePlace& place : places) bodyHeight = std::max(bodyHeight, place.height);
  const float middle = m.title + bodyHeight * 0.5F + std::max(0.0F, (roomY - bodyHeight) * 0.35F);
  for (StagePlace& place : places) {
    place.x += shift;
    place.y = middle - place.height * 0.5F;
  }
  return places;
}

}  // namespace headscope::ui
