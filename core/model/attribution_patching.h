// Attribution patching (Nanda 2023, "Attribution Patching: Activation Patching At Industrial
// Scale"): the effect of other values in a pass, estimated to first order as gradient × (other −
// own). One backward pass gives the estimates for every head and every place, which are exact only
// for small differences.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model_gradients.h"
#include "core/model/patching.h"

namespace headscope::model {

/// The estimated effect of `rows` (T, d_k) as the output of a head of `own`, the pass of the
/// gradients. Throws UserError for a head that does not exist, and for another number of rows.
double estimatedEffect(const ModelGradients& gradients, const ModelTrace& own, HeadOfLayer head,
                       const Tensor& rows);
/// The estimated effect of `other`'s residual stream at one place, as it enters a layer.
double estimatedEffect(const ModelGradients& gradients, const ModelTrace& own,
                       const ModelTrace& other, Index layer, Index place);

/// The estimated effect of each patch on the number that is read; nothing for additions of
/// attention and networks. Throws UserError as gradientsOfLogit does. Incomplete where cancelled.
std::vector<std::optional<double>> estimatedEffects(const ModelTracePtr& base,
                                                    const std::vector<Patch>& patches,
                                                    const AskedWord& asked,
                                                    const ExecutionContext& execution);

struct EstimatedEffects {
  Tensor heads;   // (L, H): of the other pass's output of the head, at all places
  Tensor places;  // (L, T): of its residual stream that enters the layer, at one place
};

/// The estimates for all heads and places where the values of `other` are put in `own`. Returns
/// nothing where `execution` was cancelled. Throws UserError for passes of different models or
/// numbers of tokens.
std::optional<EstimatedEffects> estimatedEffects(const ModelGradients& gradients,
                                                 const ModelTrace& own, const ModelTrace& other,
                                                 const ExecutionContext& execution);

}  // namespace headscope::model
