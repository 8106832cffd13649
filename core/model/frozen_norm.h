// Frozen norm: LayerNorm or RMSNorm at one token as a linear function, with the mean square that it
// has in a pass held fixed. A sum of vectors is then normalised part by part:
//   y = gain ∘ (x − mean of x) · factor [+ bias],   factor = 1 / √(mean square + ε) of the pass.
#pragma once

#include <Eigen/Core>
#include <span>

#include "core/model/model_weights.h"

namespace headscope::model {

class FrozenNorm {
 public:
  FrozenNorm() = default;  // leaves vectors as they are
  /// The norm of row `x` of a pass; without weights it leaves vectors as they are.
  FrozenNorm(std::span<const float> x, const NormWeights& weights, bool centred, double epsilon);
  FrozenNorm(std::span<const float> x, const NormWeights& weights, const ModelConfig& config)
      : FrozenNorm(x, weights, !config.rmsNorm, config.normEpsilon) {}

  bool on() const { return gain_.size() > 0; }
  /// Normalises each row of parts (parts, width), without the bias.
  void apply(Eigen::MatrixXd& parts) const;
  /// A direction u behind the norm as the direction w before it: w · x = u · y without the bias.
  void pullBack(Eigen::RowVectorXd& along) const;
  /// The bias (width); empty without.
  const Eigen::RowVectorXd& bias() const { return bias_; }

 private:
  Eigen::RowVectorXd gain_;  // times the factor
  Eigen::RowVectorXd bias_;
  bool centred_ = false;
};

}  // namespace headscope::model
