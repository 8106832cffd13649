// Frozen readout: the logits at one token as linear functions of its normalised last state, with
// the factors of a masked-word head held as they were in the pass: that of its norm, and for each
// of its neurons that of the activation,
//   act(a) = a · (act(a) / a).
// A readout without such a head is linear as it is.
#pragma once

#include <memory>
#include <vector>

#include "core/model/frozen_norm.h"
#include "core/model/model_trace.h"

namespace headscope::model {

class FrozenReadout {
 public:
  /// The readout of a pass at token `row`. Reads the readout's weights.
  FrozenReadout(const ModelTrace& trace, Index row);

  /// A logit, before a cap: along · state + constant.
  struct Reading {
    std::vector<double> along;  // (D), or (2 D) where the readout takes several states
    double constant = 0.0;      // of the biases of the word and of the head
  };
  Reading of(Index word) const;

  const Readout& weights() const { return *readout_; }

 private:
  std::shared_ptr<const Readout> readout_;
  double logitFactor_ = 1.0;
  FrozenNorm norm_;                  // of the head
  std::vector<double> activations_;  // act(a) / a of its neurons; empty without an activation
};

}  // namespace headscope::model
