// Cell input: what typing, dragging and scrolling make of a cell's value. Pure: no drawing.
#pragma once

#include <optional>
#include <string>

#include "core/tensor_id.h"

namespace headscope::ui {

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
