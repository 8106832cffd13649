// Layer grid: a map of a model with its layers down and its heads across, both named as far as
// there is room.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "core/base/index.h"

namespace headscope::ui {

class LayerGrid {
 public:
  /// Within `room`, rows at most `mostDown` points high.
  LayerGrid(const FrameContext& look, Rect room, Index layers, Index columns, float mostDown);
  /// The height of a room in which each row is as high as a mouse can well hit.
  static float heightToHit(const FrameContext& look, Index layers);

  using ColumnName = std::function<std::string(Index column, float width)>;
  void drawNames(ImDrawList* list, const ColumnName& nameOf) const;

  Rect cell(Index layer, Index column) const;
  /// All cells together.
  Rect cells() const;
  /// The layer and column there.
  std::optional<std::pair<Index, Index>> at(ImVec2 point) const;

 private:
  const FrameContext& look_;
  Rect names_, room_;
  Index layers_, columns_;
  float across_, down_;
};

}  // namespace headscope::ui
