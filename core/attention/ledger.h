// Ledger: what a configuration costs (parameters, FLOPs, bytes), step by step, before it is run.
#pragma once

#include <array>
#include <vector>

#include "core/attention/steps/step.h"
#include "core/attention/weight_tensors.h"

namespace headscope {

struct Ledger {
  struct Parameters {
    std::array<Index, kWeightTensors.size()> each{};  // biases that are not added count 0
    Index total = 0;
  } parameters;
  struct Row {
    const Step* step;
    StepCost cost;
  };
  std::vector<Row> steps;
  Index flops = 0;
  Index bytes = 0;          // of all steps' outputs in F32
  Index kvCacheBytes = 0;   // keys and values of one layer in F32: 8·B·M·D_kv
  Index resultBytes = 0;    // the stored results of a pass
  Index residentBytes = 0;  // inputs, weights (twice: also packed) and results
};

/// `config` must be valid. Throws UserError where a product of sizes overflows 64 bits.
/// `held`: which scores the pass stores.
Ledger ledger(const AttentionConfig& config, ScoreStorage held = ScoreStorage::all);

/// Returns `all` where a pass that stores all scores fits `budgetBytes`, else `none`. Throws
/// UserError with the figure where even that would not fit.
ScoreStorage scoresToHold(const AttentionConfig& config, Index budgetBytes);
/// Throws UserError with the figure where a pass that stores all scores would not fit
/// `budgetBytes`.
void checkFits(const AttentionConfig& config, Index budgetBytes);

}  // namespace headscope
