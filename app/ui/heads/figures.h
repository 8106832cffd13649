// Figures: the measurements of the heads of the pass shown, made on a background thread. Every card
// of the heads page reads the same figures and uses the same words for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct PanelContext;

struct Figures {
  HeadReport report;           // of the chosen item, or averaged over items
  HeadTree tree;               // of report.similarity, where it is defined
  HeadEffects effects;         // of the chosen item
  double largestEffect = 0.0;  // over all heads, in % of the output's norm
  std::uint64_t revision = 0;  // distinguishes different figures
};

/// The figures for panels that can also draw without them.
struct MeasuredHeads {
  const Figures* figures = nullptr;  // the latest that fit the pass shown; null: none yet
  bool current = false;              // whether they are of the pass shown, not an earlier one
  std::string_view problem;          // the reason where measuring failed
};

/// Requests missing figures. Figures of another number of heads or tokens are not returned.
MeasuredHeads measuredHeads(const PanelContext& panel);

/// Draws "measuring …", or the reason of a failure, in the middle of the rest of the card.
void noFigures(const PanelContext& panel, const MeasuredHeads& heads);
/// Draws that text as one line while the figures are of an earlier pass; else nothing.
void measuringNote(const PanelContext& panel, const MeasuredHeads& heads);
/// Draws `problem`, or `doing` where it is empty, in the middle of `room`.
void drawWaiting(const FrameContext& look, const Rect& room, std::string_view problem,
                 std::string_view doing);

// Texts and orders: the reasons for undefined figures, and the definitions of the metrics.

/// Returns a value as tables show it: "0.314", "12.500", "312.5"; "<0.001" for a value that is not
/// 0 but would round to it.
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
std::string madeForInWords(const HeadReport& report, Index head);

/// The sort key of the table's label column; other keys are metrics' keys or empty (by number).
inline constexpr std::string_view kByLabel = "label";

/// Returns all heads sorted by a metric (its key), by label or by number. Undefined values come
/// last.
std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending);

/// Returns "heads 3 and 7: 0.87 alike".
std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b);

/// Returns "5 distinct heads of 8 at 0.90".
std::string distinctInWords(const HeadTree& tree, double cut);

/// Draws "Entropy: how widely a row spreads its weight …", the formula, and "0 … log2 M, in bits.
/// Shannon 1948" at the cursor.
void metricDefinition(const FrameContext& look, Metric metric);

/// Returns the definition as one text for a tooltip.
std::string definitionText(Metric metric);

// For a head's pictures on other pages: rows in the inspector, with the rule of the head's label,
// and the lines of its tile on the heads strip.

/// The rows of a head. Whole: the label, its rule and six figures, one per line. Brief: the label
/// and its rule.
enum class HeadRowsLength { none, brief, whole };

float headRowsHeight(const FrameContext& look, HeadRowsLength length);
/// Draws the rows at the cursor.
void headRows(const PanelContext& panel, Index head, const MeasuredHeads& heads,
              HeadRowsLength length);

struct TileLine {
  ImFont* font = nullptr;
  std::string text;
};

/// Returns a head's label (unless the tile is `named` otherwise), "H 1.41 bits" and "max 0.70"; the
/// latter two share a line where both fit `room`. Undefined figures are omitted.
std::vector<TileLine> tileLines(const FrameContext& look, const HeadReport& report, Index head,
                                float room, bool named);

}  // namespace headscope::ui
