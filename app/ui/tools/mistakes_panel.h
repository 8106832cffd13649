// Common mistakes: five switches, each shown beside the right way, with the difference it makes and
// why it matters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/background.h"
#include "app/ui/panel.h"
#include "app/ui/tools/compared_matrices.h"

namespace headscope::ui {

/// The largest differences over a whole pass.
struct MistakeFigures {
  float weights = 0.0F;
  float output = 0.0F;
};

struct MistakesMemory {
  ComparedMemory matrices;
  BackgroundTask<MistakeFigures> task;
  std::array<std::uint64_t, 3> asked{};   // both passes, the series of the second
  std::optional<MistakeFigures> figures;  // of these, once they are there
  std::string error;                      // why there are none
};

/// Fills what is left of the current card.
void mistakesPanel(const Panel& panel, MistakesMemory& memory);

}  // namespace headscope::ui
