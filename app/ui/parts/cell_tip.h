// Cell tip: the tooltip of the cell under the mouse: a sentence, and the cell's name in tensor
// notation while ctrl is held.
#pragma once

#include <string>

#include "core/document/fwd.h"

namespace headscope {
struct CellRef;
}  // namespace headscope

namespace headscope::ui {

std::string cellTip(const Trace& trace, const CellRef& cell);

}  // namespace headscope::ui
