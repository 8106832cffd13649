// Pass distance: how much each head's attention differs between two passes: of one model over two
// texts, or of two models over one text.
#pragma once

#include <optional>
#include <vector>

#include "core/model/pass_pairs.h"

namespace headscope::model {

/// The mean over the tokens i that have a partner of ½ Σ_j |A_ij − B_ij| for one head of two
/// layers' attentions: the total variation distance of its rows of weights. 0 where both attend
/// alike, 1 where they share no weight. `rows` and `keys` are the other's place of each query and
/// key, or kNoPartner: weight on a key without a partner is shared by none. Nothing where no token
/// has one.
std::optional<double> headDistance(const Trace& one, const Trace& other, Index head,
                                   const std::vector<Index>& rows, const std::vector<Index>& keys);

/// Likewise of two attentions over the same tokens.
double headDistance(const Trace& one, const Trace& other, Index head);

/// The distance of each head between two passes, indexed by placeOf; none of a head that the other
/// pass lacks. The passes must be comparable. Returns nothing where cancelled.
std::optional<std::vector<std::optional<double>>> headDistances(const ModelTrace& one,
                                                                const ModelTrace& other,
                                                                const PassPairs& pairs,
                                                                const ExecutionContext& execution);

}  // namespace headscope::model
