// Combined or per head: one projection matrix for all heads beside one for each of them, both
// computed and timed, with the largest difference.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/background.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "core/analysis/per_head.h"

namespace headscope::ui {

/// What a measurement is of: where it is the same, the numbers still hold.
struct PerHeadSubject {
  TensorId part = TensorId::q;
  Index heads = 0;
  std::array<std::uint64_t, 3> revisions{};  // of input, weight and bias
  bool bias = false;

  bool operator==(const PerHeadSubject&) const = default;
};

struct PerHeadMemory {
  BackgroundTask<PerHeadComparison> task;
  std::optional<PerHeadSubject> asked;                // the newest request
  std::shared_ptr<const PerHeadComparison> measured;  // its result, once it is there
  std::uint64_t measurements = 0;                     // so far: the result's revision
  std::string error;                                  // why there is none
};

void perHeadPanel(const Panel& panel, PerHeadMemory& memory, Magnitudes& magnitudes);

}  // namespace headscope::ui
