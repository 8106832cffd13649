// Cell access: what a cell holds, and how a person may change it: by typing over an operand, by
// pinning a computed cell, or only by changing what it follows from. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/edit.h"
#include "core/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {

enum class CellKind { operand, pinnable, readOnly };

struct CellAccess {
  CellKind kind = CellKind::readOnly;
  CellRef target;                // the cell that is changed: that of `scores` for masked scores
  std::string why;               // read only: what it follows from
  std::vector<CellRef> sources;  // … and where that can be changed

  bool editable() const { return kind != CellKind::readOnly; }
};

CellAccess cellAccess(const Trace& trace, const CellRef& cell);

/// The edit that gives an editable cell a value.
Edit setCell(const CellAccess& access, float value);

/// What the newest document has there: an operand's number, a pin, else the trace's result.
float heldValue(const Document& document, const Trace& trace, const CellAccess& access);

}  // namespace headscope::ui
