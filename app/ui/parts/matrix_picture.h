// Matrix picture: several matrices of the trace in one picture, drawn in one go, with frames and
// numbers over them. The cell under the mouse has a tooltip; a click chooses it.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

class MatrixPicture {
 public:
  MatrixPicture(const PanelContext& panel, Magnitudes& magnitudes)
      : panel_(panel), magnitudes_(magnitudes), heatmaps_(panel.look) {}

  /// The scale of the whole matrix that `ref` is part of; head −1: of all heads.
  ColorScale scaleOf(const MatrixRef& ref);
  void add(const MatrixRef& ref, const ColorScale& scale, const Rect& at, float opacity = 1.0F);
  void add(const MatrixRef& ref, const Rect& at) { add(ref, scaleOf(ref), at); }
  /// The heatmaps, for cells that are not of the trace.
  Heatmaps& heatmaps() { return heatmaps_; }

  // Over the matrices:
  void frame(const Rect& at, ImU32 color, float points = 1.0F);
  /// Adds numbers in the cells of a matrix, where all of them fit.
  void numbers(const MatrixRef& ref, const ColorScale& scale, const Rect& at);

  /// Draws the picture, then the tooltip of the cell under the mouse.
  void draw(ImDrawList* list);

 private:
  struct Placed {
    MatrixRef ref;
    Rect at;
    ColorScale scale = {};
  };
  struct Frame {
    Rect at;
    ImU32 color;
    float points;
  };
  void pick() const;

  const PanelContext& panel_;
  Magnitudes& magnitudes_;
  Heatmaps heatmaps_;
  std::vector<Placed> placed_, numbered_;
  std::vector<Frame> frames_;
};

/// Draws "Q_3 (6, 64)": a matrix's symbol (rich text), and as much of `after` as fits within
/// `width`.
void drawMatrixTitle(const FrameContext& look, ImDrawList* list, ImVec2 at, float width,
                     ImFont* font, ImU32 color, const std::string& symbol,
                     const std::string& after);

}  // namespace headscope::ui
