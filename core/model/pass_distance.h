// Pass distance: how much each head's attention differs between two passes over as many tokens: of
// one model over two texts, or of two models over one text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// Why the weights of two passes cannot be compared cell by cell, in words: they differ in the
/// number of layers, heads or tokens. Empty where they can.
std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other);
/// Likewise of one layer, whose keys may be those of a source.
std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other, Index layer);

/// The mean over the tokens i of ½ Σ_j |A_ij − B_ij| for one head of two layers' attentions of
/// equal sizes: the total variation distance of its rows of weights. 0 where both attend alike, 1
/// where they share no weight.
double headDistance(const Trace& one, const Trace& other, Index head);

/// The distance of each head between two passes, indexed by placeOf; none of a layer that cannot be
/// compared. The passes must be comparable. Returns nothing where cancelled.
std::optional<std::vector<std::optional<double>>> headDistances(const ModelTrace& one,
                                                                const ModelTrace& other,
                                                                const ExecutionContext& execution);

}  // namespace headscope::model
