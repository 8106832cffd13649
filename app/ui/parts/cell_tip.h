// Cell tip: what is said of the cell under the mouse: a sentence, and its name in tensor notation
// where that is asked for, by holding ctrl.
#pragma once

#include <string>

#include "core/document/trace.h"

namespace headscope::ui {

std::string cellTip(const Trace& trace, const CellRef& cell);

}  // namespace headscope::ui
