// Matrix pieces: parts of the trace's matrices placed freely by a tool, drawn in one batch; the
// cell under the mouse is named, and a click chooses it.
#pragma once

#include <vector>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

class MatrixPieces {
 public:
  MatrixPieces(const Panel& panel, Magnitudes& magnitudes)
      : panel_(panel), magnitudes_(magnitudes) {}

  /// Of its whole matrix; head −1: of all heads together.
  ColorScale scaleOf(const MatrixRef& ref);
  void add(const MatrixRef& ref, const ColorScale& scale, ImVec2 a, ImVec2 b, float opacity = 1.0F);
  void add(const MatrixRef& ref, ImVec2 a, ImVec2 b) { add(ref, scaleOf(ref), a, b); }
  /// Values of the tool's own, in the scale of a matrix of the trace.
  void addValues(gl::HeatmapSource source, const ColorScale& scale, ImVec2 a, ImVec2 b,
                 float opacity = 1.0F);
  /// Hatched: nothing is there.
  void addEmpty(ImVec2 a, ImVec2 b);

  /// Draws what was added.
  void draw(ImDrawList* list);
  /// The tooltip of the cell under the mouse; true where there is one.
  bool pick();

 private:
  struct Placed {
    MatrixRef ref;
    ImVec2 a, b;
  };

  const Panel& panel_;
  Magnitudes& magnitudes_;
  gl::HeatmapBatch batch_;
  std::vector<Placed> placed_;
};

}  // namespace headscope::ui
