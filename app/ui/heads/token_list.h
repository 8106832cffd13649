// Token list: tokens below each other, one of them chosen.
#pragma once

#include <optional>

#include "app/ui/panel.h"

namespace headscope::ui {

struct TokenListMemory {
  Index shown = -1;  // brought into view last
};

/// The queries of the item; gives the one clicked.
std::optional<Index> queryList(const Panel& panel, TokenListMemory& memory, Index chosen,
                               ImVec2 size);

}  // namespace headscope::ui
