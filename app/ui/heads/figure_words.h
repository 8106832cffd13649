// Figure words: what is measured of heads as text, in order, why something is not defined, and what
// a metric is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

/// As tables show it: "0.314", "12.500", "312.5"; what would round to 0 but is more, "<0.001".
std::string figureText(double value);

/// "1.94 bits", "0.314"; "–" for what is not defined.
std::string figureWithUnit(const Measured& measured, Metric metric);

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

/// "previous token 0.87"; a designed head's too.
std::string labelWithScore(const HeadLabel& label);
/// "previous token 0.87: previous_token is 0.87, at least 0.5": by which rule, too.
std::string labelWithRule(const HeadLabel& label);

/// What the table is ordered by where it is neither a metric's key nor empty (by number).
inline constexpr std::string_view kByLabel = "label";

/// All heads by a metric (its key), by their label or by number; what is not defined comes last.
std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending);

/// The other head that attends most like this one; none where there is no other.
std::optional<Index> mostAlike(const HeadSimilarity& similarity, Index head);

/// "heads 3 and 7: 0.87 alike"
std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b);

/// "5 distinct heads of 8 at 0.90"
std::string distinctInWords(const HeadTree& tree, double cut);

/// Rich text (rich_text.h) as lines no wider than `width`, broken at spaces; they point into it.
std::vector<std::string_view> richLines(const Fonts& fonts, ImFont* font, std::string_view text,
                                        float width);

/// "Entropy: how widely a row spreads its weight …", its formula, "0 … log2 M, in bits. Shannon
/// 1948": at the cursor.
void metricDefinition(const Look& look, Metric metric);

/// The same as one text, for a tooltip.
std::string definitionText(Metric metric);

}  // namespace headscope::ui
