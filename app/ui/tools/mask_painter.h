// Mask painter: allowed and forbidden pairs drawn on the (T, M) mask, from usual masks as starting
// points; says which rule forbids a pair and what becomes of queries without a key.
#pragma once

#include <memory>
#include <optional>

#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/tools/mask_picture.h"

namespace headscope::ui {

/// What a stroke covers beside the pairs under the mouse.
enum class Brush { pairs, rows, columns };

/// A drag over the matrix, from button down to button up.
struct MaskStroke {
  bool allow = false;      // what it paints: the opposite of its first pair
  bool rectangle = false;  // from the first pair to the mouse
  PairBlock first;
  ImVec2 last;                               // the mouse in the frame before
  std::shared_ptr<const PaintedMask> under;  // the paint it started on
};

struct MaskPainterMemory {
  ShownMask shown;
  Brush brush = Brush::pairs;
  Index size = 2;  // of the starting points that take one
  NumberDraft sizeDraft;
  std::optional<MaskStroke> stroke;
  std::optional<Pair> cursor;   // the keyboard's
  std::optional<Pair> refused;  // painted as allowed last, though a rule may forbid it
};

/// At the cursor, over the room there is.
void maskPainter(const Panel& panel, MaskPainterMemory& memory);

/// The pair of the chosen cell is the cursor: arrows move it, x changes the pair, Escape puts it
/// away; Enter brings it where no cell is chosen. True where a key was meant for the painter.
bool maskPainterKeys(const Panel& panel, MaskPainterMemory& memory);

}  // namespace headscope::ui
