// Head strip: the heads of a run at a few of its steps, on one example, as one picture of their
// development.
#pragma once

#include <optional>
#include <vector>

#include "core/training/trainer.h"

namespace headscope::training {

struct StripMoment {
  Index step = 0;
  Evaluation evaluation;        // at that step, on the evaluation examples
  std::vector<Tensor> weights;  // by layer: (1,H,T,T)
};

/// The steps of a run to show side by side, in order, at most `count` (at least 2): the start, the
/// end, the steps at which relations were found, and between them the steps where the loss changed
/// most.
std::vector<Index> stripSteps(const Trainer& run, Index count);

/// The moments of one example at the steps of stripSteps, each at the first snapshot from its step
/// on. Returns nothing where cancelled, or where the run has not been evaluated yet.
std::optional<std::vector<StripMoment>> headStrip(const Trainer& run, const Examples& example,
                                                  Index count,
                                                  const ExecutionContext& execution = {});

}  // namespace headscope::training
