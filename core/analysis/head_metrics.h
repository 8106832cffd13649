// Head metrics: the numbers that say what a head does, each with its definition, formula, range,
// unit and source, for tables, files and explanations to iterate over; and all of them of a pass.
//
// A is one head's weights, i a row (query), n the rows that count (rows.h). Logarithms have
// base 2. Each is a mean over rows; over no rows it is not defined, and says why, and so where a
// row's weights are no shares of 1 (rows.h), which would take it out of its range.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/metric_value.h"
#include "core/analysis/rows.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"

namespace headscope {

enum class Metric {
  entropy,
  normalizedEntropy,
  confidence,
  meanDistance,
  local,
  previousToken,
  nextToken,
  self,
  firstToken,
  duplicateToken,
  induction,
  patchDistance,
  patchLocal,
  sameRow,
  sameColumn,
  ablation,
};
inline constexpr std::size_t kMetricCount = 16;

/// The input of a metric: the weights alone, or also positions, a line of positions (which patches
/// of an image are not), the grid of an image's patches, or tokens. Cross-attention has the weights
/// alone.
enum class MetricNeeds { weights, positions, line, grid, tokens };

struct MetricInfo {
  Metric metric;
  std::string_view key;      // "previous_token": in JSON and CSV
  std::string_view title;    // "Previous token"
  std::string_view column;   // "prev": where a title is too wide
  std::string_view words;    // the definition, one sentence
  std::string_view formula;  // ^ raises, _ lowers
  std::string_view range;    // "0 … 1"
  std::string_view unit;     // "bits", "tokens"; empty for a share
  std::string_view source;   // who measured heads by it
  MetricNeeds needs;
};

/// In the order of `Metric`.
std::span<const MetricInfo> allMetrics();
const MetricInfo& info(Metric metric);
/// Those that an input can have: on a grid only where its tokens are patches of an image, along a
/// line and of equal tokens only where they are none.
std::vector<MetricInfo> metricsFor(bool patches);
std::optional<Metric> metricFromKey(std::string_view key);

/// The mean of the defined values. If none is defined, the result is undefined for the reason of
/// the first.
MetricValue meanOf(std::span<const MetricValue> values);

/// The metrics of one head.
class HeadMetrics {
 public:
  const MetricValue& operator[](Metric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }
  MetricValue& operator[](Metric metric) { return values_[static_cast<std::size_t>(metric)]; }

 private:
  std::array<MetricValue, kMetricCount> values_;
};

/// Computes every metric of every head of a pass, one entry per head. A head whose weights are no
/// shares of 1 (rows.h) has the ablation alone. Nothing where cancelled.
std::optional<std::vector<HeadMetrics>> headMetrics(const Trace& trace, ItemChoice item,
                                                    const ExecutionContext& execution = {});

/// The metrics (all but the ablation) of uniform attention under a document's mask, over the rows
/// that count for a head: the values expected by chance.
struct UniformMetrics {
  HeadMetrics metrics;
  /// For each metric, the number of its rows with at least two unmasked keys. Only there can a head
  /// choose.
  std::array<Index, kMetricCount> rows{};

  const MetricValue& operator[](Metric metric) const { return metrics[metric]; }
  Index rowsOf(Metric metric) const { return rows[static_cast<std::size_t>(metric)]; }
};
/// Without an `item`, returns the mean of the metrics over all items and the sum of their rows.
UniformMetrics uniformMetrics(const Document& document, ItemChoice item);

}  // namespace headscope
