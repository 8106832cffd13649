// Output changes: how far each token's output vector moved between two passes, as bars.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/trace_difference.h"

namespace headscope::ui {

/// Kept while neither pass changes.
struct OutputChangesMemory {
  std::array<std::uint64_t, 4> key{};  // both passes, the series of the second, the item + 1
  std::vector<OutputChange> changes;
};

/// From the reference to the present pass; fills a rectangle. Where not all tokens fit, those that
/// moved most, and says so.
void outputChangeBars(const Panel& panel, OutputChangesMemory& memory, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
