// Common mistakes: five switches, each shown beside the right way, with the difference it makes and
// why it matters.
#pragma once

#include <array>
#include <cstdint>

#include "app/ui/panel.h"
#include "app/ui/tools/compared_matrices.h"

namespace headscope::ui {

struct MistakesMemory {
  ComparedMemory matrices;
  // the whole pass's differences, kept while neither pass changes
  std::array<std::uint64_t, 3> key{};  // both passes, the series of the second
  float weights = 0.0F;
  float output = 0.0F;
};

/// Fills what is left of the current card.
void mistakesPanel(const Panel& panel, MistakesMemory& memory);

}  // namespace headscope::ui
