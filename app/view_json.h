// View JSON: what is looked at, as a session keeps it. Theme and interface scale are the machine's,
// and playing, hovering and a panel drawn alone are the moment's: they stay out. The timeline comes
// back halted where it stood.
#pragma once

#include <string>

#include "app/ui/view_state.h"

namespace headscope {

std::string viewToJson(const ui::ViewState& view);

/// `base` with what the text says; unknown fields and those of a wrong type are passed over,
/// numbers out of range are brought into it. The rest of `base` (the machine's and the moment's) is
/// kept.
ui::ViewState viewFromJson(const std::string& json, ui::ViewState base);

}  // namespace headscope
