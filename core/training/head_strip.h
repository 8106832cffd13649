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

/// The course of a run, by which some of its steps are chosen.
struct RunCourse {
  struct Loss {
    Index step = 0;
    double loss = 0.0;
  };
  Index stepsTaken = 0;
  Index evaluateEvery = 1;
  std::vector<Loss> losses;                 // of evaluations, in order, the first of step 0
  std::vector<std::optional<Index>> found;  // the step of each discovery
};

/// The steps of a run to show side by side, in order, at most `count` (at least 2): the start, the
/// end, the steps of discoveries, and between them the steps where the loss changed most.
std::vector<Index> stripSteps(const RunCourse& run, Index count);
/// The steps of a run whose discoveries are its found relations.
std::vector<Index> stripSteps(const Trainer& run, Index count);

/// The moments of one example at the steps of stripSteps, each at the first snapshot from its step
/// on. Returns nothing where cancelled, or where the run has not been evaluated yet.
std::optional<std::vector<StripMoment>> headStrip(const Trainer& run, const Examples& example,
                                                  Index count,
                                                  const ExecutionContext& execution = {});

}  // namespace headscope::training
