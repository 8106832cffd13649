// Figures: the measurements of the heads of a pass, made on a background thread, and the words and
// orders in which every card of the heads page shows them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct Figures {
  HeadReport report;           // of the chosen item, or averaged over items
  HeadTree tree;               // of report.similarity, where it is defined
  HeadEffects effects;         // of the chosen item
  double largestEffect = 0.0;  // over all heads, in % of the output's norm
  std::uint64_t revision = 0;  // distinguishes different figures
};

/// Measures the heads of a pass. Returns none where cancelled.
std::optional<Figures> measureFigures(const Trace& trace, Index item, ItemChoice averaged,
                                      std::uint64_t revision, const std::atomic<bool>& cancelled);

/// Returns a value as tables show it, as long as kLongestFigure or shorter below 100,000: "0.314",
/// "12.50", "312.5"; "<.001" for a value that is not 0 but would round to it.
inline constexpr std::string_view kLongestFigure = "0.000";
std::string figureText(double value);

/// Returns "1.94 bits" or "0.314"; "–" for an undefined value.
std::string figureWithUnit(const MetricValue& measured, Metric metric);

/// Returns "Entropy (bits)", or "Self" for a metric without a unit.
std::string titleWithUnit(Metric metric);

/// Returns "1, 3–5": heads in order. `heads` counts from 0, the text from 1.
std::string numbersInWords(const std::vector<Index>& heads);

/// Returns "head 3", "heads 1, 3–5" or "all 8 heads". `heads` counts from 0, the text from 1.
std::string headsInWords(const std::vector<Index>& heads, Index of);

/// Returns "head 6: mean distance 2.26 tokens, entropy 1.94 bits".
std::string headInWords(const HeadReport& report, Index head, std::span<const Metric> metrics);

/// Returns one sentence per reason: "Induction is not defined for all 8 heads because no token
/// repeats."
std::vector<std::string> undefinedInWords(const HeadReport& report, Metric metric);

/// Returns "made for verb → its subject, 0.83 where it is to look; "; empty without a declared
/// relation.
std::string purposeInWords(const HeadReport& report, Index head);

// The table of metrics.

/// The sort key of the table's label column; other keys are metrics' keys or empty (by number).
inline constexpr std::string_view kByLabel = "label";

/// Returns all heads sorted by a metric (its key), by label or by number. Undefined values come
/// last.
std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending);

/// The table: the head's number, its label, then every metric of allMetrics(), so that a new metric
/// has its column.
struct MetricsTable {
  struct Column {
    std::string key;  // a value of HeadsView::tableSort
    std::string title, about;
    std::optional<Metric> metric = {};
  };
  std::vector<Column> columns;
  std::vector<Index> heads;       // of the rows
  std::optional<std::size_t> by;  // the column sorted by
};
MetricsTable metricsTable(const HeadReport& report, const HeadsView& view);
/// Returns the texts of a head's row, one per column; "–" for an undefined value.
std::vector<std::string> rowOf(const HeadReport& report, Index head);

// Similarity.

/// The heads along both sides of the matrix of similarities.
struct SimilarityOrder {
  struct Cluster {
    Index first = 0, count = 0;  // places in the order

    bool operator==(const Cluster&) const = default;
  };
  std::vector<Index> heads;
  std::vector<Cluster>
      clusters;  // of several heads; only in the tree's order, where each is one block

  Index placeOf(Index head) const;
};
/// Returns the heads in the order of the tree, with the clusters at this cut, or by number.
SimilarityOrder similarityOrder(const HeadTree& tree, bool alikeTogether, double cut);

/// Returns the least similarity, rounded down to a tenth, where the colours begin.
double lowestShown(const HeadSimilarity& similarity);

/// Returns "heads 3 and 7: 0.87 alike".
std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b);

/// Returns "5 distinct heads of 8 at 0.90".
std::string distinctInWords(const HeadTree& tree, double cut);

/// Returns the definition of a metric: "Entropy: how widely a row spreads its weight …", and its
/// range and source: "0 … log2 M, in bits. Shannon 1948."
std::string definitionOf(const MetricInfo& metric);
std::string boundsOf(const MetricInfo& metric);
/// Returns both as one text for a tooltip.
std::string definitionText(Metric metric);

}  // namespace headscope::ui
