// Layer grid: a map of a model with one row per layer and one column per head. Rows and columns are
// named where the names fit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "core/base/index.h"

namespace headscope::ui {

class LayerGrid {
 public:
  /// A grid within `room`, with rows of at most `mostDown` points; `widest` is the widest name of a
  /// layer.
  LayerGrid(const FrameContext& look, Rect room, Index layers, Index columns, float mostDown,
            const char* widest = "layer 00");
  /// The height of a room in which every row is high enough for the mouse.
  static float heightToHit(const FrameContext& look, Index layers);

  using ColumnName = std::function<std::string(Index column, float width)>;
  using LayerName = std::function<std::string(Index layer)>;
  /// Without names of layers, "layer 1" and so on.
  void drawNames(ImDrawList* list, const ColumnName& nameOf, const LayerName& layerName = {}) const;

  Rect cell(Index layer, Index column) const;
  /// The rectangle of all cells.
  Rect cells() const;
  /// The layer and column at a point.
  std::optional<std::pair<Index, Index>> at(ImVec2 point) const;

 private:
  const FrameContext& look_;
  Rect names_, room_;
  Index layers_, columns_;
  float across_, down_;
};

}  // namespace headscope::ui
