// Head tiles: heatmaps of many heads drawn in one batch, on one scale; what the head grid and the
// heads strip are made of.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// A matrix of head `head` of the tensor itself (not of the query head that reads it).
MatrixRef headMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head);

class HeadTiles {
 public:
  HeadTiles(const Panel& panel, Magnitudes& magnitudes, TensorId tensor);

  void add(Index head, ImVec2 a, ImVec2 b);
  /// Draws what was added.
  void draw(ImDrawList* list);
  const ColorScale& scale() const { return scale_; }

  /// The cell under the mouse in a head's rectangle: shows its tooltip, gives where it lies.
  std::optional<Hover> pick(Index head, ImVec2 a, ImVec2 b) const;

 private:
  struct Tile {
    MatrixRef ref;
    ImVec2 a, b;
  };

  const Panel& panel_;
  TensorId tensor_;
  ColorScale scale_;
  gl::HeatmapBatch batch_;
  std::vector<Tile> added_;
};

}  // namespace headscope::ui
