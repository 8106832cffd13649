// Similarity: how alike the heads of a pass attend, and which of them form groups.
//
// similarity[a][b] = 1 − mean_i JSD(A^a_i, A^b_i), 0 … 1, over the rows that count; the
// Jensen–Shannon divergence (Lin 1991) in bits, JSD(p, q) = H((p+q)/2) − (H(p) + H(q))/2. Heads
// were grouped by it in Clark et al. 2019.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/metric_value.h"
#include "core/analysis/rows.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// (H, H), symmetric, 1 on the diagonal; without values where no row counts or a head's weights are
/// no shares of 1 (rows.h), and then says why.
struct HeadSimilarity {
  Index heads = 0;
  std::vector<double> values;  // row-major
  std::string why;

  bool defined() const { return !values.empty(); }
  double operator()(Index a, Index b) const {
    return values[static_cast<std::size_t>(a * heads + b)];
  }
};

/// Compares every pair of heads over the rows that count: of one item, or of all items for which
/// the similarity is defined. Nothing where cancelled.
std::optional<HeadSimilarity> headSimilarity(const Trace& trace, ItemChoice item,
                                             const ExecutionContext& execution = {});
/// Compares the heads of weights (B, H, T, M) whose rows all count and are shares of 1, over all
/// items. Nothing where cancelled.
std::optional<HeadSimilarity> headSimilarity(const Tensor& weights,
                                             const ExecutionContext& execution = {});

/// The other head that attends most like this one; none where there is no other.
std::optional<Index> mostAlike(const HeadSimilarity& similarity, Index head);

/// A merge of two clusters. The clusters are numbered: the heads first, then the merges in order.
struct HeadMerge {
  Index left = 0, right = 0;
  double similarity = 0.0;  // the mean over all pairs between them
};

/// Agglomerative clustering with average linkage (UPGMA, Sokal and Michener 1958) over 1 −
/// similarity.
struct HeadTree {
  Index heads = 0;
  std::vector<HeadMerge> merges;  // the most alike first; heads − 1 of them
  std::vector<Index> order;       // all heads, similar ones next to each other
};

/// Clusters the heads. On a tie, the pair with the lower heads merges first. The similarity must be
/// defined.
HeadTree clusterHeads(const HeadSimilarity& similarity);

struct HeadClusters {
  std::vector<Index> of;  // of each head, numbered from 0 in the tree's order
  Index count = 0;
};
/// The clusters after all merges of at least this similarity. Their count is the number of distinct
/// heads at this cut.
HeadClusters clustersAt(const HeadTree& tree, double similarity);

}  // namespace headscope
