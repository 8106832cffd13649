// Cell access: the value of a cell, and how a person may change it. An operand is typed over, a
// computed cell is pinned, and any other cell changes only through the cells that it is computed
// from. Also computes the values that typing, dragging and scrolling give. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document/fwd.h"
#include "core/editing/edit.h"
#include "core/words/cells.h"

namespace headscope::ui {

enum class CellKind { operand, pinnable, readOnly };

struct CellAccess {
  CellKind kind = CellKind::readOnly;
  CellRef target;   // the cell that is changed: that of `scores` for a masked score equal to it
  std::string why;  // read only: what it is computed from
  std::vector<CellRef> sources;  // … and the cells to change instead

  bool editable() const { return kind != CellKind::readOnly; }
};

CellAccess cellAccess(const Trace& trace, const CellRef& cell);

/// Returns the edit that sets an editable cell to a value.
Edit setCell(const CellAccess& access, float value);

/// The value in the newest document: the operand's number, else the pin, else the trace's result.
float heldValue(const Document& document, const Trace& trace, const CellAccess& access);

struct TypedNumber {
  std::optional<float> value;
  std::string problem;  // one sentence that names the cell, where the text is not a number
};
TypedNumber typedNumber(const std::string& text, const CellRef& cell);

/// The change of a value per point of dragging, in a matrix of this magnitude (1 where it is all
/// 0): 200 points change it by the magnitude; Shift divides that by ten, Ctrl multiplies it by ten.
double dragStep(float magnitude, bool finer, bool coarser);
/// The change of a value per notch of the wheel: 1 % of the magnitude.
double wheelStep(float magnitude);

/// Returns `value` plus `by`, rounded to the precision of the step.
double moved(double value, double by, double step);

/// The text of a value in a field: the fewest digits that give the same float again.
std::string fieldText(float value);

}  // namespace headscope::ui
