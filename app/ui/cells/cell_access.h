// Cell access: what a cell holds, and how a person may change it: by typing over an operand, by
// pinning a computed cell, or only by changing what it follows from; and what typing, dragging and
// scrolling make of its value. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/words/cells.h"

namespace headscope::ui {

enum class CellKind { operand, pinnable, readOnly };

struct CellAccess {
  CellKind kind = CellKind::readOnly;
  CellRef target;  // the cell that is changed: that of `scores` for masked scores that are the same
  std::string why;               // read only: what it follows from
  std::vector<CellRef> sources;  // … and where that can be changed

  bool editable() const { return kind != CellKind::readOnly; }
};

CellAccess cellAccess(const Trace& trace, const CellRef& cell);

/// The edit that gives an editable cell a value.
Edit setCell(const CellAccess& access, float value);

/// What the newest document has there: an operand's number, a pin, else the trace's result.
float heldValue(const Document& document, const Trace& trace, const CellAccess& access);

struct TypedNumber {
  std::optional<float> value;
  std::string problem;  // one sentence that names the cell, where it is no number
};
TypedNumber typedNumber(const std::string& text, const CellRef& cell);

/// How far a point of dragging moves a value of a matrix of this magnitude (1 where it is all 0):
/// 200 points are the magnitude; Shift a tenth of it, Ctrl ten times.
double dragStep(float magnitude, bool finer, bool coarser);
/// … and a notch of the wheel: 1 % of the magnitude.
double wheelStep(float magnitude);

/// `value` moved, and rounded to what the step can tell apart.
double moved(double value, double by, double step);

/// A value as a field shows it: as few digits as give the same float again.
std::string fieldText(float value);

}  // namespace headscope::ui
