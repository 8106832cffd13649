// Heads over steps: where the heads of a run look in one sentence at a few of its steps, side by
// side, as one picture of their development.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/language/kept_run.h"
#include "core/language/language_trainer.h"

namespace headscope::language {

/// The heads at one evaluated step.
struct HeadsAtStep {
  LanguageEvaluation evaluation;
  std::vector<Tensor> weights;  // by layer: (1,H,T,T)

  Index step() const { return evaluation.step; }
};

/// The heads of a run at the start, at its newest evaluation, at the first answers and where the
/// loss changed most: at most `count` snapshots. `known` holds results of the same sentence by
/// their steps; new ones are added. Returns nothing where cancelled.
std::optional<std::vector<HeadsAtStep>> headsOverSteps(const LanguageTrainer& run,
                                                       const std::string& sentence, Index count,
                                                       Index memoryBudgetBytes,
                                                       std::map<Index, HeadsAtStep>& known,
                                                       const ExecutionContext& execution);
/// The heads of a kept run at such steps, none after `last`.
std::vector<HeadsAtStep> headsOverSteps(const KeptRun& run, Index last, Index count);

/// The attentions (L,H,T,T) of a kept moment by layer: (1,H,T,T).
std::vector<Tensor> weightsByLayer(const KeptMoment& moment);

}  // namespace headscope::language
