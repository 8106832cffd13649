// Stage cell: the chosen cell where the stage shows it: the outline of its matrix, dragging and
// scrolling its value, typing over it.
#pragma once

#include "app/ui/cell_editing.h"

namespace headscope::ui {

struct StageCell {
  CellRef cell;
  ImVec2 matrixA, matrixB;  // the corners of its matrix on screen
  ImVec2 a, b;              // … and its own
  float magnitude;          // of the matrix
  bool draggable;           // not by the click that chooses it
  bool underMouse;
};

/// The field over a cell between two corners of the screen, while it is typed into there.
void stageTyping(const Panel& panel, CellEditing& editing, ImVec2 a, ImVec2 b);
/// The mouse is on that field, not on the cells below it.
bool overStageTyping(const CellEditing& editing);

void stageCell(const Panel& panel, CellEditing& editing, const StageCell& shown);

}  // namespace headscope::ui
