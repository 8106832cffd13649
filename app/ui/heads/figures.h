// Figures: what is measured of the heads of the pass shown, beside the frames; every card of the
// heads page reads the same, and says it in the same words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct Figures {
  HeadReport report;           // of the chosen item, or averaged over items
  HeadTree tree;               // of report.similarity, where it is defined
  HeadEffects effects;         // of the chosen item
  double largestEffect = 0.0;  // of them all, in % of the output's norm
  std::uint64_t revision = 0;  // differs between figures that differ
};

/// The figures as panels take them that are drawn without as well.
struct MeasuredHeads {
  const Figures* figures = nullptr;  // the last that fit the pass shown; null: there are none yet
  bool current = false;              // they are of the pass shown, not of the one before
  std::string_view problem;          // why there will be none of it
};

/// Asks for what is not there yet. Figures of another number of heads or tokens are not given.
MeasuredHeads measuredHeads(const PanelContext& panel);

/// "measuring …", or why there is nothing, in the middle of what is left of the card.
void noFigures(const PanelContext& panel, const MeasuredHeads& heads);
/// The same in a line, while the figures are of the pass before; else nothing.
void measuringNote(const PanelContext& panel, const MeasuredHeads& heads);
/// The same in the middle of `room`, for what is computed under another name: `doing` while there
/// is no `problem`.
void drawWaiting(const FrameContext& look, const Rect& room, std::string_view problem,
                 std::string_view doing);

// In words and in order: why something is not defined, and what a metric is.

/// As tables show it: "0.314", "12.500", "312.5"; what would round to 0 but is more, "<0.001".
std::string figureText(double value);

/// "1.94 bits", "0.314"; "–" for what is not defined.
std::string figureWithUnit(const MetricValue& measured, Metric metric);

/// "Entropy (bits)", "Self"
std::string titleWithUnit(Metric metric);

/// "1, 3–5": of heads in order, counted from 0 here, from 1 there.
std::string numbersInWords(const std::vector<Index>& heads);

/// "head 3", "heads 1, 3–5", "all 8 heads"; counted from 0 here, from 1 there.
std::string headsInWords(const std::vector<Index>& heads, Index of);

/// "head 6: mean distance 2.26 tokens, entropy 1.94 bits"
std::string headInWords(const HeadReport& report, Index head, std::span<const Metric> metrics);

/// One sentence per reason: "Induction is not defined for all 8 heads because no token repeats."
std::vector<std::string> undefinedInWords(const HeadReport& report, Metric metric);

/// "made for verb → its subject, 0.83 where it is to look; "; empty where nothing was declared.
std::string madeForInWords(const HeadReport& report, Index head);

/// What the table is ordered by where it is neither a metric's key nor empty (by number).
inline constexpr std::string_view kByLabel = "label";

/// All heads by a metric (its key), by their label or by number; what is not defined comes last.
std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending);

/// "heads 3 and 7: 0.87 alike"
std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b);

/// "5 distinct heads of 8 at 0.90"
std::string distinctInWords(const HeadTree& tree, double cut);

/// "Entropy: how widely a row spreads its weight …", its formula, "0 … log2 M, in bits. Shannon
/// 1948": at the cursor.
void metricDefinition(const FrameContext& look, Metric metric);

/// The same as one text, for a tooltip.
std::string definitionText(Metric metric);

// Beside a head's pictures elsewhere: rows in the inspector, with the rule that gave it its name,
// and the lines of its tile on the heads strip.

/// Whole: the label, its rule and six figures, a line each. Brief: the label with its rule.
enum class HeadRowsLength { none, brief, whole };

float headRowsHeight(const FrameContext& look, HeadRowsLength length);
/// At the cursor.
void headRows(const PanelContext& panel, Index head, const MeasuredHeads& heads,
              HeadRowsLength length);

struct TileLine {
  ImFont* font = nullptr;
  std::string text;
};

/// Its label, "H 1.41 bits" and "max 0.70", on one line where both fit `room`; what is not defined
/// is left out. Without the label where the head is `named` otherwise.
std::vector<TileLine> tileLines(const FrameContext& look, const HeadReport& report, Index head,
                                float room, bool named);

}  // namespace headscope::ui
