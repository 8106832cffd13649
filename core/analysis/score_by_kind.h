// Score by kind: why a head of one layer looks where it does. A score is bilinear in the rows of X
// at the query and at the key. With the columns of X cut into kinds, such as word class and
// position, it is an exact sum over pairs: a kind of the query × a kind of the key (as Elhage et
// al. 2021 take a score apart over the residual stream).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/tensor/matrix64.h"

namespace headscope {

struct ScoreByKind {
  /// (kinds + 1, kinds + 1): rows are kinds of the query, columns of the key; the last of each are
  /// the biases b_Q and b_K.
  Matrix64 values;
  /// By how much each value exceeds its mean over the other keys that the query may see. Only such
  /// differences move the softmax.
  Matrix64 above;
  double score = 0.0;   // of the pass, before a soft cap and the mask, without a pair's bias
  double others = 0.0;  // the mean score of the other keys
  Index otherKeys = 0;  // how many of them there are; 0: `above` equals `values`
};

/// The sentence that says why scores of this layer are not taken apart; empty where they are. They
/// are not where queries and keys are normalised, with relative positions in the scores, with a
/// memory of another width than X, and with mistakes that mix heads.
std::string whyNoScoreByKind(const Trace& trace);

/// Takes apart the score of a query and a key. `kindOf`: the kind of each column of X, below
/// `kinds`. An empty result where `execution` was cancelled.
ScoreByKind scoreByKind(const Trace& trace, Index item, Index head, Index query, Index key,
                        std::span<const Index> kindOf, Index kinds,
                        const ExecutionContext& execution = {});

}  // namespace headscope
