#include "core/attention/ledger.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/attention/config.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/linear.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

/// Sizes are bounded by Limits, but their products may exceed 2^63: estimates in floating point
/// first.
void refuseOverflow(const AttentionConfig& c) {
  const auto n = [](Index v) { return static_cast<double>(v); };
  const double d = std::max(n(c.dModel), n(c.queryWidth()));
  const double cells = n(c.batch) * n(c.numHeads) * n(c.seqLen) * n(c.keys());
  const double flops = n(c.batch) * (n(c.seqLen) + n(c.keys())) * (d + n(c.kvWidth())) * d * 8 +
                       cells * (4 * n(c.dK()) + 5);
  if (flops * 4 > n(std::numeric_limits<Index>::max())) {
    throw UserError(trFormat(
        "this size cannot be counted in 64 bits (about {:.1e} FLOPs): reduce d_model, tokens or "
        "batch",
        flops));
  }
}

/// The peak memory of a pass in bytes: the previous results stay until the new ones are complete.
Index bytesNeeded(const AttentionConfig& c, ScoreStorage held) {
  const Ledger cost = ledger(c, held);
  return cost.residentBytes + cost.resultBytes;
}

}  // namespace

Ledger ledger(const AttentionConfig& c, ScoreStorage held) {
  refuseOverflow(c);
  Ledger total;
  auto& p = total.parameters;
  for (std::size_t i = 0; i < p.each.size(); ++i) {
    const TensorId id = kWeightTensors[i].id;
    const bool used = has(c, id) && (c.switches->bias || !isBias(id));
    p.each[i] = used ? elementCount(shapeOf(id, c)) : 0;
    p.total += p.each[i];
  }
  total.residentBytes = 4 * (p.total + elementCount(shapeOf(TensorId::x, c)));
  if (c.crossAttention()) total.residentBytes += 4 * elementCount(shapeOf(TensorId::memory, c));
  // once as the setting, once as the operand
  if (c.pairBias.ofPairs()) {
    total.residentBytes += 2 * 4 * elementCount(shapeOf(TensorId::pairBias, c));
  }
  for (const TensorId weight : {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO}) {
    total.residentBytes += 4 * packedCount(shapeOf(weight, c));
  }
  for (const Step* step : stepsOf(c)) {
    const StepCost cost = step->cost(c);
    total.steps.push_back({step, cost});
    total.flops += cost.flops;
    total.bytes += cost.bytes;
    // scores and masked scores are computed by tile, not stored
    const TensorId result = step->outputs().front();
    if (isComputedOnDemand(result) || !holds(held, result)) continue;
    total.resultBytes += cost.bytes;
  }
  // the operands from which unstored scores are recomputed
  if (!holds(held, TensorId::rawScores)) {
    total.resultBytes += 4 * elementCount(shapeOf(scoredKeys(c), c));
  }
  total.residentBytes += total.resultBytes;
  total.residentBytes += recentBlocks(c, held) * recentBlockBytes(c, held);
  total.kvCacheBytes = 8 * c.batch * c.keys() * c.dKv();
  return total;
}

ScoreStorage scoresToHold(const AttentionConfig& c, Index budgetBytes) {
  if (bytesNeeded(c, ScoreStorage::all) <= budgetBytes) return ScoreStorage::all;
  // a softmax down the columns needs all rows at once
  if (c.mistakes.softmaxOverQueries) checkFits(c, budgetBytes);
  const Index needed = bytesNeeded(c, ScoreStorage::none);
  if (needed <= budgetBytes) return ScoreStorage::none;
  throw UserError(trFormat(
      "this size needs {} even without scores and weights, more than the memory budget of {}: "
      "reduce tokens, heads, batch or d_model",
      bytesInWords(needed), bytesInWords(budgetBytes)));
}

void checkFits(const AttentionConfig& c, Index budgetBytes) {
  const Index needed = bytesNeeded(c, ScoreStorage::all);
  if (needed <= budgetBytes) return;
  throw UserError(trFormat(
      "this size needs {} (scores and weights of {} heads of {} × {} and the rest), more than the "
      "memory budget of {}: reduce tokens, heads, batch or d_model",
      bytesInWords(needed), c.batch * c.numHeads, c.seqLen, c.keys(), bytesInWords(budgetBytes)));
}

}  // namespace headscope
