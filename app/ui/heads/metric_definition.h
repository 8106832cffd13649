// Metric definition: a metric in words, its formula, range and source, as wrapped lines of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/metrics.h"

namespace headscope::ui {

/// A line of text at the cursor, wrapped to the room there is.
void wrappedLabel(const Look& look, ImFont* font, ImU32 color, std::string_view text);

/// Rich text (rich_text.h) as lines no wider than `width`, broken at spaces; they point into it.
std::vector<std::string_view> richLines(const Fonts& fonts, ImFont* font, std::string_view text,
                                        float width);

/// "Entropy: how widely a row spreads its weight …", its formula, "0 … log2 M, in bits. Shannon
/// 1948": at the cursor.
void metricDefinition(const Look& look, Metric metric);

/// The same as one text, for a tooltip.
std::string definitionText(Metric metric);

}  // namespace headscope::ui
