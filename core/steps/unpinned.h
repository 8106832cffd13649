// Unpinned: what a pinned cell would be, had its step's own result been left there.
#pragma once

#include "core/steps/step.h"

namespace headscope {

/// The computed value of a cell, pinned or not.
double unpinnedValue(const Trace& trace, const CellRef& cell);

}  // namespace headscope
