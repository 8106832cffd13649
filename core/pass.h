// Pass: fills one trace, step by step, from the results of the trace before as far as these stand.
//
// A step's result differs from the one before in boxes; only these are computed. From `score` to
// `weigh` a piece of work is some rows of one head, which go through all five steps while they are
// in cache.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/steps/step.h"

namespace headscope {

/// One loop of the sweep from `score` to `weigh`: the pieces that it cuts every head into, and
/// which of the steps that fill memory go through each.
struct SweepLoop {
  std::size_t firstStep, steps;
  Index rows, cols;  // of a piece, in scores

  Index down(const AttentionConfig& c) const { return (c.seqLen + rows - 1) / rows; }
  Index across(const AttentionConfig& c) const { return (c.keys() + cols - 1) / cols; }
  Index pieces(const AttentionConfig& c) const {
    return c.batch * c.numHeads * down(c) * across(c);
  }
};
/// One loop; or three, where a softmax down the columns needs all rows of the scores first.
std::vector<SweepLoop> sweepLoops(const AttentionConfig& config);

class Pass {
 public:
  /// `before` may be null.
  Pass(const DocumentPtr& document, const Trace* before, const Execution& execution);

  /// Null where it was cancelled. To be called once.
  std::shared_ptr<Trace> run();

  /// Some value was not finite.
  bool overflowed() const { return overflowed_; }

 private:
  void noteOperands();
  /// Settles which cells of a step's outputs are computed, and where they lie.
  void begin(const Step& step);
  Change changeOf(const Step& step, TensorId output) const;
  Tensor memoryFor(const Step& step, TensorId output, const Change& change) const;
  void note(TensorId id, Change change);
  void compute(const Step& step, TensorId output, const Box& box);
  bool mayPatch(TensorId output) const;
  /// False where the box has to be computed.
  bool patch(const Step& step, TensorId output, const Box& box);

  void packWeights(const Step& step);
  void runLinear(const Step& step);
  void sweep();
  void finish();
  void done(int steps);

  const Execution& execution_;
  const Trace* before_;
  std::shared_ptr<Trace> trace_;
  Changes changes_;
  bool patching_;  // worth it at this size
  std::atomic<bool> overflowed_{false};
  std::atomic<bool> patched_{false};
  std::array<std::atomic<float>, kTensorCount> patchedThrough_{};
};

}  // namespace headscope
