// Model gradients: the derivatives of a number that a pass computes, such as a logit or the
// difference of two, with respect to each head's output, to the residual stream that enters each
// layer, and to the other sites on request. The pass is run backward, from the readout to the first
// layer; of a decoder the memory has gradients too, from which the encoder's are computed.
//
//   const auto gradients = gradientsOfLogit(trace, row, mary, john, {}).value();
//   gradients.heads.at({9, 6, row, 0})  // of logit(mary) − logit(john)
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/sites.h"
#include "core/model/stacks.h"

namespace headscope::model {

struct ModelGradients {
  Tensor heads;     // (L, H, T, d_k): of the output of each head, which W_O reads
  Tensor residual;  // (L, T, D): of the residual stream that enters each layer
  Tensor memory;    // (1, M, D): of the encoder's last states; empty without an encoder
  /// Those of the other sites that were asked for, a tensor for each layer; empty for the network
  /// of a layer that has none.
  std::map<Site, std::vector<Tensor>> others;

  /// The gradient of valuesInLayer(site, trace, layer), (H, T, d_k) or (T, D). The site is heads,
  /// residual, or one that was asked for.
  Tensor inLayer(Site site, Index layer) const;
};

/// Runs a pass backward. A unit is a layer; only its own attention is held at a time. The experts
/// that tokens go to are held. The bits do not depend on the number of threads.
class ModelBackward {
 public:
  /// `gradLast` (1, T, D) is the derivative with respect to trace.last(), the input of the readout.
  /// `others` are sites besides heads and residual. Throws UserError where the gradients do not fit
  /// half of the memory budget.
  ModelBackward(ModelTracePtr trace, Tensor gradLast, const ExecutionContext& execution,
                const std::vector<Site>& others = {});
  /// Goes through the next layer, the last one first. True after the first layer, or where it was
  /// cancelled. Throws UserError where a gradient overflows.
  bool runUnit();
  /// The result, after the last unit; nothing where it was cancelled.
  std::optional<ModelGradients> found() const;
  /// The gradient of the attention's output, (1, T, D_out), in the layer that was gone through
  /// last.
  const Tensor& outputGradient() const { return gradOutput_; }
  /// The gradient of the residual stream, (1, T, D), that enters the layer that was gone through
  /// last; before the first unit, of the one that leaves the last layer.
  const Tensor& ofStream() const { return gradStream_; }

 private:
  void throughLayer();
  void keep(Site site, Tensor gradient);
  TracePtr attentionOf(Index layer) const;

  ModelTracePtr trace_;
  ExecutionContext execution_;
  ModelGradients found_;
  Tensor gradStream_;  // of the stream behind the next layer
  Tensor gradOutput_;
  Index layer_;  // the next, plus 1
};

/// The derivative of logit(word), or with `other` of logit(word) − logit(other), at token `row`
/// with respect to trace.last(): (1, T, D). Logits are taken behind a soft cap. Throws UserError as
/// requireWord does.
Tensor gradLastOfLogit(const ModelTrace& trace, Index row, Index word, std::optional<Index> other,
                       const ExecutionContext& execution);

/// Runs all units for such a logit or difference. Returns nothing where cancelled.
std::optional<ModelGradients> gradientsOfLogit(const ModelTracePtr& trace, Index row, Index word,
                                               std::optional<Index> other,
                                               const ExecutionContext& execution,
                                               const std::vector<Site>& others = {});
/// The gradients of the same number in the encoder of a decoder's pass. Returns nothing where
/// cancelled.
std::optional<ModelGradients> gradientsOfEncoder(const ModelTrace& decoder,
                                                 const ModelGradients& gradients,
                                                 const ExecutionContext& execution,
                                                 const std::vector<Site>& others = {});
/// The gradient of such a number with respect to the output of a layer's attention, (1, T, D_out),
/// from which the gradients of everything in that layer follow (gradientsOf of trace_gradients.h).
/// The layer is of `stack`. Nothing where cancelled.
std::optional<Tensor> gradOutputOfLayer(const ModelTracePtr& trace, Stack stack, Index layer,
                                        Tensor gradLast, const ExecutionContext& execution);

}  // namespace headscope::model
