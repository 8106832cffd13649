#include "core/analysis/head_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "core/analysis/counted_rows.h"
#include "core/analysis/entropy_sums.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/row_shares.h"
#include "core/analysis/token_places.h"
#include "core/execution.h"
#include "core/platform/threads.h"

namespace headscope {
namespace {

constexpr const char* kCrossAttention = "keys come from the memory: no positions in common";

/// A mean as it is added up.
struct Mean {
  double sum = 0.0;
  Index rows = 0;

  void add(double value) {
    sum += value;
    ++rows;
  }
};

class Means {
 public:
  Mean& operator[](Metric metric) { return means_[static_cast<std::size_t>(metric)]; }
  void add(const Means& other) {
    for (std::size_t m = 0; m < kMetricCount; ++m) {
      means_[m].sum += other.means_[m].sum;
      means_[m].rows += other.means_[m].rows;
    }
  }

 private:
  std::array<Mean, kMetricCount> means_;
};

/// What the rows of one item are measured by, the same for all heads.
class RowMeter {
 public:
  RowMeter(const Document& document, Index item)
      : rows_(countedRows(document, item)),
        cross_(document.config.crossAttention()),
        places_(tokenPlaces(document, item)),
        keys_(document.config.keys()) {
    const Index span = std::max(document.config.seqLen, keys_);
    for (Index d = -span; d <= span; ++d) distances_.push_back(static_cast<float>(std::abs(d)));
  }

  const std::vector<CountedRow>& rows() const { return rows_.rows; }
  const CountedRows& counted() const { return rows_; }

  /// Adds a row's part to every metric that it takes part in.
  void measure(const CountedRow& row, std::span<const float> weights, Means& means) const {
    const RowSums sums =
        rowSums(weights.data() + row.begin, distancesOf(row.row) + row.begin, row.end - row.begin);
    means[Metric::entropy].add(sums.entropy);
    if (row.keyCount > 1) {
      const double most = std::log2(static_cast<double>(row.keyCount));
      means[Metric::normalizedEntropy].add(upTo(most, sums.entropy) / most);
    }
    means[Metric::confidence].add(sums.largest);
    if (cross_) return;
    means[Metric::meanDistance].add(sums.distance);
    measurePositions(row.row, weights, means);
    if (places_) measureTokens(row, weights, means);
  }

  std::string whyUndefined(Metric metric) const {
    const MetricNeeds needs = info(metric).needs;
    if (cross_ && needs != MetricNeeds::weights) return kCrossAttention;
    if (!places_ && needs == MetricNeeds::tokens) return "the input has no tokens";
    if (rows_.empty()) return rows_.whyEmpty();
    switch (metric) {
      case Metric::normalizedEntropy:
        return "every row has one key only";
      case Metric::previousToken:
      case Metric::firstToken:
        return rows_.tokens == 1 ? "one token only" : "every row after the first is fully masked";
      case Metric::nextToken:
        return rows_.tokens == 1 ? "one token only" : "every row before the last is fully masked";
      case Metric::duplicateToken:
        return places_->anyRepeats() ? "no row may see its token in another place"
                                     : "no token repeats";
      case Metric::induction:
        return places_->anyRepeats() ? "no row may see what came after its token before"
                                     : "no token repeats";
      default:
        return {};
    }
  }

 private:
  /// |row − j| by key j.
  const float* distancesOf(Index row) const {
    const auto zero = static_cast<Index>(distances_.size() / 2);
    return distances_.data() + zero - row;
  }

  void measurePositions(Index row, std::span<const float> weights, Means& means) const {
    const auto at = [&](Index key) {
      return key >= 0 && key < keys_ ? double{weights[static_cast<std::size_t>(key)]} : 0.0;
    };
    means[Metric::local].add(at(row - 2) + at(row - 1) + at(row + 1) + at(row + 2));
    means[Metric::self].add(at(row));
    if (row > 0) {
      means[Metric::previousToken].add(at(row - 1));
      means[Metric::firstToken].add(at(0));
    }
    if (row + 1 < rows_.tokens) means[Metric::nextToken].add(at(row + 1));
  }

  void measureTokens(const CountedRow& row, std::span<const float> weights, Means& means) const {
    Mean same, followers;  // their rows are the keys
    for (const Index place : places_->of(row.row)) {
      if (place != row.row && row.keys(place)) {
        same.add(weights[static_cast<std::size_t>(place)]);
      }
      const Index after = place + 1;
      if (after < row.row && row.keys(after)) {
        followers.add(weights[static_cast<std::size_t>(after)]);
      }
    }
    if (same.rows > 0) means[Metric::duplicateToken].add(same.sum);
    if (followers.rows > 0) means[Metric::induction].add(followers.sum);
  }

  CountedRows rows_;
  bool cross_;
  std::optional<TokenPlaces> places_;
  Index keys_;
  std::vector<float> distances_;  // |d| for d from −span to span
};

using ItemMetrics = std::vector<HeadMetrics>;

/// All metrics but ablation. In blocks of rows, so that a single head is worth several threads too.
std::optional<ItemMetrics> weightMetrics(const Trace& trace, Index item,
                                         const Execution& execution) {
  constexpr Index kRowsAtOnce = 128;
  const AttentionConfig& c = trace.config();
  const RowMeter meter(trace.document(), item);
  const auto rowCount = static_cast<Index>(meter.rows().size());
  const Index blocks = (rowCount + kRowsAtOnce - 1) / kRowsAtOnce;
  std::vector<Means> parts(static_cast<std::size_t>(blocks * c.numHeads));
  overPieces(blocks * c.numHeads, execution, [&](Index piece) {
    const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({item, piece / blocks});
    const Index begin = piece % blocks * kRowsAtOnce;
    const Index end = std::min(begin + kRowsAtOnce, rowCount);
    for (Index r = begin; r < end; ++r) {
      const CountedRow& row = meter.rows()[static_cast<std::size_t>(r)];
      meter.measure(row, weights.row(row.row), parts[static_cast<std::size_t>(piece)]);
    }
  });
  if (execution.stop()) return std::nullopt;

  ItemMetrics heads(static_cast<std::size_t>(c.numHeads));
  for (std::size_t h = 0; h < heads.size(); ++h) {
    Means means;
    for (Index b = 0; b < blocks; ++b) {
      means.add(parts[h * static_cast<std::size_t>(blocks) + static_cast<std::size_t>(b)]);
    }
    const std::string noShares = whyNoShares(trace, item, static_cast<Index>(h), meter.counted());
    for (const MetricInfo& m : allMetrics()) {
      const Mean& mean = means[m.metric];
      if (mean.rows == 0) {
        heads[h][m.metric] = Measured::undefined(meter.whyUndefined(m.metric));
      } else if (!noShares.empty()) {
        heads[h][m.metric] = Measured::undefined(noShares);
      } else {
        heads[h][m.metric] = {mean.sum / static_cast<double>(mean.rows), {}};
      }
    }
  }
  return heads;
}

std::optional<ItemMetrics> itemMetrics(const Trace& trace, Index item, const Execution& execution) {
  auto heads = weightMetrics(trace, item, execution);
  if (!heads) return std::nullopt;
  const auto effects = headEffects(trace, item, execution);
  if (!effects) return std::nullopt;
  const CountedRows rows = countedRows(trace.document(), item);
  for (std::size_t h = 0; h < heads->size(); ++h) {
    (*heads)[h][Metric::ablation] = effects->ablation(static_cast<Index>(h), rows);
  }
  return heads;
}

Measured uniformDistanceOf(const Document& document, Index item) {
  if (document.config.crossAttention()) return Measured::undefined(kCrossAttention);
  Mean mean;
  const CountedRows counted = countedRows(document, item);
  for (const CountedRow& row : counted.rows) {
    double sum = 0.0;
    for (Index j = row.keys.begin; j < row.keys.end; ++j) {
      if (row.keys(j)) sum += static_cast<double>(std::abs(row.row - j));
    }
    mean.add(sum / static_cast<double>(row.keyCount));
  }
  if (mean.rows == 0) return Measured::undefined(counted.whyEmpty());
  return {mean.sum / static_cast<double>(mean.rows), {}};
}

}  // namespace

std::optional<ItemMetrics> headMetrics(const Trace& trace, ItemChoice item,
                                       const Execution& execution) {
  const AttentionConfig& c = trace.config();
  constexpr Index kFlopsPerCell = 16;  // a logarithm is most of it
  const Index cells = elementCount(shapeOf(TensorId::weights, c));
  const ThreadCount threads(threadsFor(cells * kFlopsPerCell, execution.threads));
  if (item) return itemMetrics(trace, *item, execution);

  std::vector<ItemMetrics> items;
  for (Index i = 0; i < c.batch; ++i) {
    auto metrics = itemMetrics(trace, i, execution);
    if (!metrics) return std::nullopt;
    items.push_back(std::move(*metrics));
  }
  ItemMetrics mean(static_cast<std::size_t>(c.numHeads));
  std::vector<Measured> values(items.size());
  for (std::size_t h = 0; h < mean.size(); ++h) {
    for (const MetricInfo& m : allMetrics()) {
      for (std::size_t i = 0; i < items.size(); ++i) values[i] = items[i][h][m.metric];
      mean[h][m.metric] = meanOf(values);
    }
  }
  return mean;
}

Measured uniformMeanDistance(const Document& document, ItemChoice item) {
  if (item) return uniformDistanceOf(document, *item);
  std::vector<Measured> values;
  for (Index i = 0; i < document.config.batch; ++i) {
    values.push_back(uniformDistanceOf(document, i));
  }
  return meanOf(values);
}

}  // namespace headscope
