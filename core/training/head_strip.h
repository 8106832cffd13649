// Head strip: the heads of a run at a few of its moments, on one example: how each came to be what
// it is, as one picture.
#pragma once

#include <optional>
#include <vector>

#include "core/training/trainer.h"

namespace headscope::training {

struct StripMoment {
  Index step = 0;
  Evaluation evaluation;        // of the model then, on the examples of every evaluation
  std::vector<Tensor> weights;  // by layer: (1,H,T,T)
};

/// Steps of a run worth seeing beside each other, in order, at most `count` (at least 2): the
/// start, the end, those at which relations were found, and between them where the loss changed
/// most.
std::vector<Index> stripSteps(const Trainer& run, Index count);

/// Of such steps, or those of the snapshots next after them; one example. Nothing where cancelled,
/// or where the run has not been evaluated yet.
std::optional<std::vector<StripMoment>> headStrip(const Trainer& run, const Examples& example,
                                                  Index count,
                                                  const ExecutionContext& execution = {});

}  // namespace headscope::training
