#include "core/analysis/head_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/analysis/head_effect.h"
#include "core/analysis/rows.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {

namespace {

using Needs = MetricNeeds;

constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {Metric::entropy, "entropy", trLater("Entropy"), trLater("entropy"),
     trLater("how widely a row spreads its weight; 2 to its power is the number of keys that would "
             "share "
             "it evenly"),
     "mean_i −Σ_j A_{ij} log2 A_{ij}", "0 … log2 M", trLater("bits"),
     "Shannon 1948; of attention: Clark et al. 2019", Needs::weights},
    {Metric::normalizedEntropy, "normalized_entropy", trLater("Normalized entropy"),
     trLater("norm."),
     trLater("the entropy divided by the largest possible one for the row's unmasked keys; rows "
             "with one "
             "key are left out"),
     "mean_i −Σ_j A_{ij} log2 A_{ij} / log2 m_i, m_i unmasked keys", "0 … 1", "",
     "Shannon 1948 (relative entropy of a source)", Needs::weights},
    {Metric::confidence, "confidence", trLater("Confidence"), trLater("conf."),
     trLater("the largest weight of a row"), "mean_i max_j A_{ij}", "1/M … 1", "",
     "Voita et al. 2019", Needs::weights},
    {Metric::meanDistance, "mean_distance", trLater("Mean distance"), trLater("dist."),
     trLater("how many tokens away a row looks, by weight"), "mean_i Σ_j A_{ij} · |i − j|",
     "0 … M − 1", trLater("tokens"), "Vig and Belinkov 2019", Needs::line},
    {Metric::local, "local", trLater("Local"), trLater("local"),
     trLater("the weight on the two tokens to either side"),
     "mean_i Σ_j A_{ij} over 1 ≤ |i − j| ≤ 2", "0 … 1", "", "Clark et al. 2019; Voita et al. 2019",
     Needs::line},
    {Metric::previousToken, "previous_token", trLater("Previous token"), trLater("prev"),
     trLater("the weight on the token before"), "mean over i ≥ 1 of A_{i,i−1}", "0 … 1", "",
     "Clark et al. 2019; Elhage et al. 2021", Needs::line},
    {Metric::nextToken, "next_token", trLater("Next token"), trLater("next"),
     trLater("the weight on the token after"), "mean over i ≤ n − 2 of A_{i,i+1}", "0 … 1", "",
     "Clark et al. 2019", Needs::line},
    {Metric::self, "self", trLater("Self"), trLater("self"),
     trLater("the weight on the token itself"), "mean_i A_{ii}", "0 … 1", "", "Clark et al. 2019",
     Needs::positions},
    {Metric::firstToken, "first_token", trLater("First token"), trLater("first"),
     trLater("the weight on the first token, over all other rows"), "mean over i ≥ 1 of A_{i0}",
     "0 … 1", "", "Vig and Belinkov 2019; Xiao et al. 2023", Needs::positions},
    {Metric::duplicateToken, "duplicate_token", trLater("Duplicate token"), trLater("same"),
     trLater("the weight on other occurrences of the same token, over rows that see one"),
     "mean_i Σ_j A_{ij} over unmasked j ≠ i with token_j = token_i", "0 … 1", "",
     "Wang et al. 2022", Needs::tokens},
    {Metric::induction, "induction", trLater("Induction"), trLater("induct."),
     trLater("the weight on the tokens after earlier occurrences of the same token, over rows that "
             "see one"),
     "mean_i Σ_j A_{ij} over unmasked 1 ≤ j < i with token_{j−1} = token_i", "0 … 1", "",
     "Olsson et al. 2022", Needs::tokens},
    {Metric::patchDistance, "patch_distance", trLater("Distance in patches"), trLater("dist."),
     trLater("how many patches away a patch looks, by its weight on patches"),
     "mean over patches i of Σ_j A_{ij} · √(rows² + columns² between) / Σ_j A_{ij}, j a patch",
     "0 … diagonal", trLater("patches"), "Dosovitskiy et al. 2021", Needs::grid},
    {Metric::patchLocal, "patch_local", trLater("Neighbouring patches"), trLater("near"),
     trLater("the weight on the eight patches around a patch"),
     "mean over patches i of Σ_j A_{ij} over j ≠ i at most one row and one column away", "0 … 1",
     "", "Cordonnier et al. 2020", Needs::grid},
    {Metric::sameRow, "same_row", trLater("Same row"), trLater("row"),
     trLater("the weight on other patches of a patch's row"),
     "mean over patches i of Σ_j A_{ij} over j ≠ i of its row", "0 … 1", "",
     "Ho et al. 2019 (axial attention)", Needs::grid},
    {Metric::sameColumn, "same_column", trLater("Same column"), trLater("column"),
     trLater("the weight on other patches of a patch's column"),
     "mean over patches i of Σ_j A_{ij} over j ≠ i of its column", "0 … 1", "",
     "Ho et al. 2019 (axial attention)", Needs::grid},
    {Metric::ablation, "ablation", trLater("Ablation"), trLater("ablat."),
     trLater("the length of the head's term in the output, divided by the output's length: "
             "removing the "
             "head subtracts exactly this term"),
     "mean_i ‖head_{h,i} · W_{O,h}‖ / ‖output_i‖", "≥ 0", "", "Michel et al. 2019", Needs::weights},
}};

}  // namespace

std::span<const MetricInfo> allMetrics() { return kMetrics; }

const MetricInfo& info(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::vector<MetricInfo> metricsFor(bool patches) {
  std::vector<MetricInfo> offered;
  for (const MetricInfo& m : kMetrics) {
    const bool onGrid = m.needs == Needs::grid;
    const bool inLine = m.needs == Needs::line || m.needs == Needs::tokens;
    if (patches ? !inLine : !onGrid) offered.push_back(m);
  }
  return offered;
}

std::optional<Metric> metricFromKey(std::string_view key) {
  const auto* found = std::find_if(kMetrics.begin(), kMetrics.end(),
                                   [&](const MetricInfo& m) { return m.key == key; });
  if (found == kMetrics.end()) return std::nullopt;
  return found->metric;
}

MetricValue meanOf(std::span<const MetricValue> values) {
  double sum = 0.0;
  int count = 0;
  for (const MetricValue& measured : values) {
    if (!measured) continue;
    sum += *measured;
    ++count;
  }
  if (count > 0) return {sum / count, {}};
  return MetricValue::undefined(values.empty() ? tr("there is nothing to average")
                                               : values.front().why);
}

namespace {

bool hasTokens(const Document& document) {
  if (document.config.crossAttention()) return false;
  if (const auto* tensors = std::get_if<TensorSource>(document.source.get())) {
    return static_cast<Index>(tensors->tokens.size()) == document.config.seqLen;
  }
  return std::holds_alternative<TextSource>(*document.source);
}

/// The places of equal tokens in one item, to find a token's duplicates and the tokens after them.
class TokenPlaces {
 public:
  /// Tokens are compared in lower case; padding ("") has no places.
  explicit TokenPlaces(const std::vector<std::string>& tokens);

  /// All places of the token at `place`, in ascending order.
  std::span<const Index> of(Index place) const {
    return places_[static_cast<std::size_t>(group_[static_cast<std::size_t>(place)])];
  }
  bool anyRepeats() const { return anyRepeats_; }

 private:
  std::vector<Index> group_;                // of each place
  std::vector<std::vector<Index>> places_;  // of each group
  bool anyRepeats_ = false;
};

TokenPlaces::TokenPlaces(const std::vector<std::string>& tokens) : places_(1) {
  std::unordered_map<std::string, Index> groups;
  for (std::size_t place = 0; place < tokens.size(); ++place) {
    if (tokens[place].empty()) {
      group_.push_back(0);  // group 0, of padding: it has no places
      continue;
    }
    const auto next = static_cast<Index>(places_.size());
    const auto [found, added] = groups.emplace(lowerCased(tokens[place]), next);
    if (added) places_.emplace_back();
    anyRepeats_ = anyRepeats_ || !added;
    group_.push_back(found->second);
    places_[static_cast<std::size_t>(found->second)].push_back(static_cast<Index>(place));
  }
}

/// Returns nothing in cross-attention, and where the input has no tokens: a series, or tensors that
/// come without their tokens.
std::optional<TokenPlaces> tokenPlaces(const Document& document, Index item) {
  if (!hasTokens(document)) return std::nullopt;
  return TokenPlaces(document.input->tokens[static_cast<std::size_t>(item)]);
}

constexpr const char* kCrossAttention =
    trLater("keys come from the memory, so positions cannot be compared");

/// The running sum and count of a mean.
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

/// Measures the rows of one batch item. Nothing in it depends on the head.
class RowMeter {
 public:
  RowMeter(const Document& document, Index item)
      : rows_(countedRows(document, item)),
        cross_(document.config.crossAttention()),
        grid_(document.input->patches),
        places_(tokenPlaces(document, item)),
        keys_(document.config.keys()) {
    const Index span = std::max(document.config.seqLen, keys_);
    for (Index d = -span; d <= span; ++d) distances_.push_back(static_cast<float>(std::abs(d)));
    for (Index patch = 0; patch < grid_.count(); ++patch) {
      apart_.push_back(std::hypot(static_cast<double>(patch / grid_.columns),
                                  static_cast<double>(patch % grid_.columns)));
    }
  }

  const std::vector<CountedRow>& rows() const { return rows_.rows; }
  const CountedRows& counted() const { return rows_; }

  /// Adds the row's value to the mean of every metric that counts this row.
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
    if (!grid_.on()) means[Metric::meanDistance].add(sums.distance);
    measurePositions(row.row, weights, means);
    if (grid_.holds(row.row)) measureGrid(row.row, weights, means);
    if (places_) measureTokens(row, weights, means);
  }

  std::string whyUndefined(Metric metric) const {
    const MetricNeeds needs = info(metric).needs;
    if (cross_ && needs != MetricNeeds::weights) return tr(kCrossAttention);
    if (grid_.on() && needs == MetricNeeds::line) {
      return tr("patches of an image lie in rows and columns, not in a line");
    }
    if (!grid_.on() && needs == MetricNeeds::grid)
      return tr("the tokens are no patches of an image");
    if (!places_ && needs == MetricNeeds::tokens) return tr("the input has no tokens");
    if (rows_.empty()) return rows_.whyEmpty();
    switch (metric) {
      case Metric::normalizedEntropy:
        return tr("every row has one key only");
      case Metric::previousToken:
      case Metric::firstToken:
        return rows_.tokens == 1 ? tr("one token only")
                                 : tr("every row after the first is fully masked");
      case Metric::nextToken:
        return rows_.tokens == 1 ? tr("one token only")
                                 : tr("every row before the last is fully masked");
      case Metric::patchDistance:
        return tr("the head puts no weight on patches");
      case Metric::duplicateToken:
        return places_->anyRepeats() ? tr("no row can see its token at another position")
                                     : tr("no token repeats");
      case Metric::induction:
        return places_->anyRepeats()
                   ? tr("no row can see a token after an earlier occurrence of its own")
                   : tr("no token repeats");
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
    means[Metric::self].add(at(row));
    if (row > 0) means[Metric::firstToken].add(at(0));
    if (grid_.on()) return;
    means[Metric::local].add(at(row - 2) + at(row - 1) + at(row + 1) + at(row + 2));
    if (row > 0) means[Metric::previousToken].add(at(row - 1));
    if (row + 1 < rows_.tokens) means[Metric::nextToken].add(at(row + 1));
  }

  /// Measures the row of a patch on the grid.
  void measureGrid(Index token, std::span<const float> weights, Means& means) const {
    const Index ownRow = (token - grid_.first) / grid_.columns;
    const Index ownColumn = (token - grid_.first) % grid_.columns;
    double far = 0.0, total = 0.0, local = 0.0, sameRow = 0.0, sameColumn = 0.0;
    auto key = static_cast<std::size_t>(grid_.first);
    for (Index row = 0; row < grid_.rows; ++row) {
      const Index down = std::abs(row - ownRow);
      for (Index column = 0; column < grid_.columns; ++column, ++key) {
        const double weight = weights[key];
        const Index across = std::abs(column - ownColumn);
        far += weight * apart_[static_cast<std::size_t>(down * grid_.columns + across)];
        total += weight;
        if (down == 0 && across == 0) continue;
        if (down <= 1 && across <= 1) local += weight;
        if (down == 0) sameRow += weight;
        if (across == 0) sameColumn += weight;
      }
    }
    means[Metric::patchLocal].add(local);
    means[Metric::sameRow].add(sameRow);
    means[Metric::sameColumn].add(sameColumn);
    if (total > 0.0) means[Metric::patchDistance].add(far / total);
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
  PatchGrid grid_;  // off: the tokens are no patches
  std::optional<TokenPlaces> places_;
  Index keys_;
  std::vector<float> distances_;  // |d| for d from −span to span
  std::vector<double> apart_;     // of two patches, by the rows and columns between them
};

using ItemMetrics = std::vector<HeadMetrics>;

/// Returns a metric after all of its rows have been measured.
MetricValue measuredMean(Metric metric, const RowMeter& meter, const Mean& mean) {
  if (mean.rows == 0) return MetricValue::undefined(meter.whyUndefined(metric));
  return {mean.sum / static_cast<double>(mean.rows), {}};
}

/// Computes all metrics of one head but ablation, from the means over its measured rows.
void takeMeans(const Trace& trace, Index item, Index head, const RowMeter& meter, Means& means,
               HeadMetrics& into) {
  const std::string noShares = whyNotDistribution(trace, item, head, meter.counted());
  for (const MetricInfo& m : allMetrics()) {
    MetricValue measured = measuredMean(m.metric, meter, means[m.metric]);
    if (measured && !noShares.empty()) measured = MetricValue::undefined(noShares);
    into[m.metric] = std::move(measured);
  }
}

/// Measures one item in blocks of rows, so that several threads can share even a single head.
/// Returns nothing where cancelled.
std::optional<ItemMetrics> metricsOfItem(const Trace& trace, Index item,
                                         const ExecutionContext& execution) {
  constexpr Index kRowsAtOnce = 128;
  constexpr Index kFlopsPerCell = 16;  // a logarithm is most of it
  const AttentionConfig& c = trace.config();
  const RowMeter meter(trace.document(), item);
  const auto rowCount = static_cast<Index>(meter.rows().size());
  const Index blocks = (rowCount + kRowsAtOnce - 1) / kRowsAtOnce;
  std::vector<Means> parts(static_cast<std::size_t>(blocks * c.numHeads));
  const Index cells = elementCount(shapeOf(TensorId::weights, c));
  {
    const ScopedThreadLimit threads(threadsFor(cells * kFlopsPerCell, execution.threads));
    parallelFor(blocks * c.numHeads, execution, [&](Index piece) {
      HeadRows weights(trace, TensorId::weights, item, piece / blocks);
      const Index begin = piece % blocks * kRowsAtOnce;
      const Index end = std::min(begin + kRowsAtOnce, rowCount);
      for (Index r = begin; r < end; ++r) {
        const CountedRow& row = meter.rows()[static_cast<std::size_t>(r)];
        meter.measure(row, weights.row(row.row), parts[static_cast<std::size_t>(piece)]);
      }
    });
  }
  const auto effects = headEffects(trace, item, execution);
  if (!effects || execution.stop()) return std::nullopt;
  ItemMetrics metrics(static_cast<std::size_t>(c.numHeads));
  for (std::size_t h = 0; h < metrics.size(); ++h) {
    Means means;
    for (Index b = 0; b < blocks; ++b) {
      means.add(parts[h * static_cast<std::size_t>(blocks) + static_cast<std::size_t>(b)]);
    }
    const auto head = static_cast<Index>(h);
    takeMeans(trace, item, head, meter, means, metrics[h]);
    metrics[h][Metric::ablation] = effects->ablation(head, meter.counted());
  }
  return metrics;
}

UniformMetrics uniformMetricsOf(const Document& document, Index item) {
  const RowMeter meter(document, item);
  Means all;
  Means choices;  // the rows that have at least two keys
  std::vector<float> weights(static_cast<std::size_t>(document.config.keys()));
  for (const CountedRow& row : meter.rows()) {
    std::fill(weights.begin(), weights.end(), 0.0F);
    const float share = 1.0F / static_cast<float>(row.keyCount);
    for (Index j = row.keys.begin; j < row.keys.end; ++j) {
      if (row.keys(j)) weights[static_cast<std::size_t>(j)] = share;
    }
    Means own;
    meter.measure(row, weights, own);
    all.add(own);
    if (row.keyCount > 1) choices.add(own);
  }
  UniformMetrics uniform;
  for (const MetricInfo& m : allMetrics()) {
    uniform.metrics[m.metric] = measuredMean(m.metric, meter, all[m.metric]);
    uniform.rows[static_cast<std::size_t>(m.metric)] = choices[m.metric].rows;
  }
  return uniform;
}

/// The mean of one head's metrics over several items.
HeadMetrics meanOfItems(std::span<const HeadMetrics> items) {
  HeadMetrics mean;
  std::vector<MetricValue> values(items.size());
  for (const MetricInfo& m : allMetrics()) {
    for (std::size_t i = 0; i < items.size(); ++i) values[i] = items[i][m.metric];
    mean[m.metric] = meanOf(values);
  }
  return mean;
}

}  // namespace

std::optional<ItemMetrics> headMetrics(const Trace& trace, ItemChoice item,
                                       const ExecutionContext& execution) {
  if (item) return metricsOfItem(trace, *item, execution);
  const AttentionConfig& c = trace.config();
  std::vector<ItemMetrics> items;
  for (Index i = 0; i < c.batch; ++i) {
    auto metrics = metricsOfItem(trace, i, execution);
    if (!metrics) return std::nullopt;
    items.push_back(std::move(*metrics));
  }
  ItemMetrics means;
  std::vector<HeadMetrics> ofHead(items.size());
  for (std::size_t h = 0; h < static_cast<std::size_t>(c.numHeads); ++h) {
    for (std::size_t i = 0; i < items.size(); ++i) ofHead[i] = items[i][h];
    means.push_back(meanOfItems(ofHead));
  }
  return means;
}

UniformMetrics uniformMetrics(const Document& document, ItemChoice item) {
  if (item) return uniformMetricsOf(document, *item);
  UniformMetrics all;
  std::vector<HeadMetrics> items;
  for (Index i = 0; i < document.config.batch; ++i) {
    const UniformMetrics one = uniformMetricsOf(document, i);
    for (std::size_t m = 0; m < kMetricCount; ++m) all.rows[m] += one.rows[m];
    items.push_back(one.metrics);
  }
  all.metrics = meanOfItems(items);
  return all;
}

}  // namespace headscope
