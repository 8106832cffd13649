// Compared matrices: one matrix of two passes and what they differ by, side by side: the one, the
// other, and their difference on a scale of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "app/ui/stage/stage_items.h"
#include "core/analysis/trace_difference.h"

namespace headscope::ui {

/// One of the two passes.
struct ComparedPass {
  const Trace& trace;
  std::uint64_t salt;  // of its heatmaps; 0: the present pass
  const char* name;    // "after"
};

/// What is compared: first − second.
struct ComparedPasses {
  ComparedPass first, second;
};

/// The numbers of a comparison, kept while neither pass changes.
struct ComparedMemory {
  struct Key {
    std::array<std::uint64_t, 4> passes{};  // both passes and their salts
    TensorId tensor = TensorId::x;
    Index item = -1, head = -1;
    bool operator==(const Key&) const = default;
  };
  Key key;
  std::optional<MatrixDifference> difference;
};

/// How a step's result is shown: its matrix for the chosen head, what it is called, its lanes.
StageItem resultOf(StepId step, const AttentionConfig& config, const ViewState& view);
/// The same of a tensor that some step gives.
StageItem resultOf(TensorId tensor, const AttentionConfig& config, const ViewState& view);

/// Fills a rectangle; says in words where the two have different shapes. A click chooses a cell.
void comparedMatrices(const Panel& panel, ComparedMemory& memory, const ComparedPasses& passes,
                      const StageItem& item, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
