#include "core/analysis/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/analysis/rows.h"
#include "core/base/execution.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

/// The index of the pair a < b among all pairs of heads, row by row.
std::size_t pairAt(Index heads, Index a, Index b) {
  return static_cast<std::size_t>(a * heads - a * (a + 1) / 2 + b - a - 1);
}

/// Adds the divergences of one row to the sums of all pairs, while the row of every head is in
/// cache.
void addDivergences(std::vector<HeadRows>& weights, const CountedRow& row,
                    std::vector<double>& entropies, std::vector<double>& sums) {
  const auto heads = std::ssize(weights);
  const Index count = row.end - row.begin;
  const auto rowOf = [&](Index head) {
    return weights[static_cast<std::size_t>(head)].row(row.row).data() + row.begin;
  };
  for (Index h = 0; h < heads; ++h) {
    entropies[static_cast<std::size_t>(h)] = entropyOf(rowOf(h), count);
  }
  std::size_t pair = 0;
  for (Index a = 0; a < heads; ++a) {
    const float* rowA = rowOf(a);
    for (Index b = a + 1; b < heads; ++b, ++pair) {
      const double apart =
          (entropies[static_cast<std::size_t>(a)] + entropies[static_cast<std::size_t>(b)]) / 2;
      const double divergence = entropyOfMean(rowA, rowOf(b), count) - apart;
      sums[pair] += upTo(1.0, std::max(0.0, divergence));
    }
  }
}

/// The similarity of the heads over items, whose divergences are added one after the other.
class MeanSimilarity {
 public:
  explicit MeanSimilarity(Index heads)
      : heads_(heads), apart_(static_cast<std::size_t>(heads * (heads - 1) / 2), 0.0) {}

  std::size_t pairs() const { return apart_.size(); }

  /// An item's, as sums over its rows in parts.
  void add(const std::vector<std::vector<double>>& parts, Index rows) {
    for (std::size_t p = 0; p < pairs(); ++p) {
      double mean = 0.0;
      for (const auto& part : parts) mean += part[p] / static_cast<double>(rows);
      apart_[p] += mean;
    }
    ++items_;
  }

  /// `whyNone`: of no items.
  HeadSimilarity result(std::string whyNone) const {
    HeadSimilarity similarity{heads_, {}, {}};
    if (items_ == 0) {
      similarity.why = std::move(whyNone);
      return similarity;
    }
    for (Index a = 0; a < heads_; ++a) {
      for (Index b = 0; b < heads_; ++b) {
        const double sum = a == b ? 0.0 : apart_[pairAt(heads_, std::min(a, b), std::max(a, b))];
        similarity.values.push_back(1.0 - sum / items_);
      }
    }
    return similarity;
  }

 private:
  Index heads_;
  std::vector<double> apart_;
  int items_ = 0;
};

/// Adds the divergences of an item's heads, summed in blocks of rows in a fixed order. False where
/// the work was cancelled.
bool addItem(const std::vector<HeadRows>& weights, const std::vector<CountedRow>& rows,
             const ExecutionContext& execution, MeanSimilarity& mean) {
  constexpr Index kMostBlocks = 64;
  constexpr Index kFlopsPerCell = 16;  // a logarithm is most of it
  const auto rowCount = static_cast<Index>(rows.size());
  const Index blocks = std::min(kMostBlocks, rowCount);
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(blocks));
  const Index heads = std::ssize(weights);
  const Index cells = rowCount * rows.back().end * (heads * (heads + 1) / 2);
  const ScopedThreadLimit threads(threadsFor(cells * kFlopsPerCell, execution.threads));
  parallelFor(blocks, execution, [&](Index block) {
    std::vector<double> sums(mean.pairs(), 0.0);
    std::vector<double> entropies(weights.size());
    std::vector<HeadRows> read = weights;
    const Index end = (block + 1) * rowCount / blocks;
    for (Index r = block * rowCount / blocks; r < end && !execution.stop(); ++r) {
      addDivergences(read, rows[static_cast<std::size_t>(r)], entropies, sums);
    }
    parts[static_cast<std::size_t>(block)] = std::move(sums);
  });
  if (execution.stop()) return false;
  mean.add(parts, rowCount);
  return true;
}

/// Why an item has no similarity, in words; empty: it has.
std::string whyNoSimilarity(const Trace& trace, Index item, const CountedRows& rows) {
  if (rows.empty()) return rows.whyEmpty();
  for (Index head = 0; head < trace.numHeads(); ++head) {
    const std::string why = whyNotDistribution(trace, item, head, rows);
    if (!why.empty()) return trFormat("in head {} {}", head + 1, why);
  }
  return {};
}

/// Clusters while they are merged: which there still are, how alike, and their heads in order.
class Agglomeration {
 public:
  explicit Agglomeration(const HeadSimilarity& similarity)
      : given_(similarity), similarity_(similarity.values) {
    for (Index h = 0; h < similarity.heads; ++h) {
      number_.push_back(h);
      leaves_.push_back({h});
    }
  }

  HeadTree run() {
    HeadTree tree;
    tree.heads = given_.heads;
    while (std::ssize(tree.merges) + 1 < given_.heads) {
      const auto [a, b] = mostAlike();
      tree.merges.push_back({number_[a], number_[b], at(a, b)});
      merge(a, b);
      number_[a] = given_.heads + std::ssize(tree.merges) - 1;
    }
    tree.order = leaves_.front();
    return tree;
  }

 private:
  using Slot = std::size_t;  // the place of a cluster: that of its lowest head

  double& at(Slot a, Slot b) { return similarity_[a * leaves_.size() + b]; }

  std::pair<Slot, Slot> mostAlike() {
    std::pair<Slot, Slot> best{0, 0};
    for (Slot a = 0; a < leaves_.size(); ++a) {
      if (leaves_[a].empty()) continue;
      for (Slot b = a + 1; b < leaves_.size(); ++b) {
        if (leaves_[b].empty()) continue;
        if (best.second == 0 || at(a, b) > at(best.first, best.second)) best = {a, b};
      }
    }
    return best;
  }

  void merge(Slot a, Slot b) {
    const auto sizeA = static_cast<double>(leaves_[a].size());
    const auto sizeB = static_cast<double>(leaves_[b].size());
    for (Slot c = 0; c < leaves_.size(); ++c) {
      at(a, c) = (sizeA * at(a, c) + sizeB * at(b, c)) / (sizeA + sizeB);
      at(c, a) = at(a, c);
    }
    join(leaves_[a], leaves_[b]);
  }

  /// Turns both so that the leaves that come to touch are as alike as can be.
  void join(std::vector<Index>& a, std::vector<Index>& b) {
    struct Turn {
      Index touchesA, touchesB;
      bool turnA, turnB;
    };
    const Turn turns[] = {{a.back(), b.front(), false, false},
                          {a.back(), b.back(), false, true},
                          {a.front(), b.front(), true, false},
                          {a.front(), b.back(), true, true}};
    const Turn& best =
        *std::max_element(std::begin(turns), std::end(turns), [this](const Turn& x, const Turn& y) {
          return given_(x.touchesA, x.touchesB) < given_(y.touchesA, y.touchesB);
        });
    if (best.turnA) std::reverse(a.begin(), a.end());
    if (best.turnB) std::reverse(b.begin(), b.end());
    a.insert(a.end(), b.begin(), b.end());
    b.clear();
  }

  const HeadSimilarity& given_;
  std::vector<double> similarity_;          // of clusters
  std::vector<Index> number_;               // of the cluster in each slot
  std::vector<std::vector<Index>> leaves_;  // of each slot; empty where merged away
};

}  // namespace

std::optional<HeadSimilarity> headSimilarity(const Trace& trace, ItemChoice item,
                                             const ExecutionContext& execution) {
  MeanSimilarity mean(trace.numHeads());
  std::string why;
  for (Index i = item.value_or(0); i < (item ? *item + 1 : trace.batch()); ++i) {
    const CountedRows rows = countedRows(trace.document(), i);
    if (const std::string whyNone = whyNoSimilarity(trace, i, rows); !whyNone.empty()) {
      if (why.empty()) why = whyNone;
      continue;
    }
    std::vector<HeadRows> heads;
    for (Index h = 0; h < trace.numHeads(); ++h) heads.emplace_back(trace, TensorId::weights, i, h);
    if (!addItem(heads, rows.rows, execution, mean)) return std::nullopt;
  }
  if (execution.stop()) return std::nullopt;
  return mean.result(why);
}

std::optional<HeadSimilarity> headSimilarity(const Tensor& weights,
                                             const ExecutionContext& execution) {
  const Index keys = weights.dim(3);
  std::vector<CountedRow> rows;
  for (Index row = 0; row < weights.dim(2); ++row) rows.push_back({row, {}, keys, 0, keys});
  MeanSimilarity mean(weights.dim(1));
  for (Index i = 0; i < weights.dim(0); ++i) {
    std::vector<HeadRows> heads;
    for (Index h = 0; h < weights.dim(1); ++h) heads.emplace_back(weights.matrix({i, h}));
    if (!addItem(heads, rows, execution, mean)) return std::nullopt;
  }
  return mean.result(tr("there is no row"));
}

std::optional<Index> mostAlike(const HeadSimilarity& similarity, Index head) {
  std::optional<Index> best;
  for (Index other = 0; similarity.defined() && other < similarity.heads; ++other) {
    if (other == head) continue;
    if (!best || similarity(head, other) > similarity(head, *best)) best = other;
  }
  return best;
}

HeadTree clusterHeads(const HeadSimilarity& similarity) { return Agglomeration(similarity).run(); }

HeadClusters clustersAt(const HeadTree& tree, double similarity) {
  std::vector<Index> parent(static_cast<std::size_t>(tree.heads) + tree.merges.size());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<Index>(i);
  for (std::size_t m = 0; m < tree.merges.size(); ++m) {
    const HeadMerge& merge = tree.merges[m];
    if (merge.similarity < similarity) break;
    const Index whole = tree.heads + static_cast<Index>(m);
    parent[static_cast<std::size_t>(merge.left)] = whole;
    parent[static_cast<std::size_t>(merge.right)] = whole;
  }
  HeadClusters clusters;
  clusters.of.resize(static_cast<std::size_t>(tree.heads));
  std::vector<Index> numbers(parent.size(), -1);
  for (const Index head : tree.order) {
    auto root = static_cast<std::size_t>(head);
    while (parent[root] != static_cast<Index>(root)) root = static_cast<std::size_t>(parent[root]);
    if (numbers[root] < 0) numbers[root] = clusters.count++;
    clusters.of[static_cast<std::size_t>(head)] = numbers[root];
  }
  return clusters;
}

}  // namespace headscope
