// Matrix picture: several matrices of the trace, placed freely as one picture and drawn in one go,
// with frames and numbers over them. The cell under the mouse is named; a click chooses it.
#pragma once

#include <string>
#include <vector>

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

class MatrixPicture {
 public:
  MatrixPicture(const PanelContext& panel, Magnitudes& magnitudes)
      : panel_(panel), magnitudes_(magnitudes), heatmaps_(panel.look) {}

  /// Of its whole matrix; head −1: of all heads together.
  ColorScale scaleOf(const MatrixRef& ref);
  void add(const MatrixRef& ref, const ColorScale& scale, const Rect& at, float opacity = 1.0F);
  void add(const MatrixRef& ref, const Rect& at) { add(ref, scaleOf(ref), at); }
  /// For what is not of the trace.
  Heatmaps& heatmaps() { return heatmaps_; }

  // Over the matrices:
  void frame(const Rect& at, ImU32 color, float points = 1.0F);
  /// In the cells of a matrix, where all of them have room.
  void numbers(const MatrixRef& ref, const ColorScale& scale, const Rect& at);

  /// Draws what was added, then names the cell under the mouse.
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

/// "Q_3 (6, 64)": a matrix's symbol (rich text), and what fits behind it within `width`.
void drawMatrixTitle(const FrameContext& look, ImDrawList* list, ImVec2 at, float width,
                     ImFont* font, ImU32 color, const std::string& symbol,
                     const std::string& after);

}  // namespace headscope::ui
