// Frozen norm: LayerNorm or RMSNorm at one token as a linear function, with the mean square that it
// has in a pass held fixed. A sum of vectors is then normalised part by part:
//   y = gain ∘ (x − mean of x) · factor [+ bias],   factor = 1 / √(mean square + ε) of the pass.
#pragma once

#include <span>
#include <vector>

#include "core/model/model_weights.h"

namespace headscope::model {

class FrozenNorm {
 public:
  FrozenNorm() = default;  // leaves vectors as they are
  /// The norm of row `x` of a pass; without weights it leaves vectors as they are. `x` may have
  /// more numbers than the gain: all heads' numbers, which share one root.
  FrozenNorm(std::span<const float> x, const NormWeights& weights, bool centred, double epsilon);
  FrozenNorm(std::span<const float> x, const NormWeights& weights, const ModelConfig& config)
      : FrozenNorm(x, weights, !config.rmsNorm, config.normEpsilon) {}

  bool on() const { return !gain_.empty(); }
  /// Normalises rows, one after the other in `rows`, without the bias.
  void apply(std::span<double> rows) const;
  /// A direction u behind the norm becomes the direction w before it: w · x = u · y without the
  /// bias.
  void pullBack(std::span<double> along) const;
  /// The bias; empty without.
  const std::vector<double>& bias() const { return bias_; }

 private:
  std::vector<double> gain_;  // times the factor
  std::vector<double> bias_;
  bool centred_ = false;
};

}  // namespace headscope::model
