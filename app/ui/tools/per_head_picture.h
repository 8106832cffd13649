// Per head picture: X · W = Q with every head's columns marked, and beside it W_h and the Q_h that
// was computed from it alone, for each head.
#pragma once

#include <cstdint>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "core/analysis/per_head.h"

namespace headscope::ui {

/// The tensors of a projection (of q, k or v).
struct PerHeadNames {
  TensorId input, weight, bias, result;
};
PerHeadNames perHeadNames(TensorId part, const AttentionConfig& config);

struct PerHeadResults {
  TensorId part = TensorId::q;
  const PerHeadComparison* measured = nullptr;  // null: not there yet
  std::uint64_t revision = 0;                   // changes with it
};

void perHeadPicture(const Panel& panel, Magnitudes& magnitudes, const PerHeadResults& results,
                    ImVec2 origin, ImVec2 room);

}  // namespace headscope::ui
