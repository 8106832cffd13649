// Looks words: what the looks card shows, in sentences. Pure: no drawing.
#pragma once

#include <string>
#include <vector>

#include "app/ui/heads/chosen_lines.h"
#include "app/ui/heads/heads_choice.h"
#include "app/ui/heads/looks_lengths.h"
#include "app/ui/heads/looks_values.h"

namespace headscope::ui {

/// How many lines are drawn of how many weights, and why; `shown` are drawn.
std::string linesInWords(const LineChoice& choice, const LineQuestion& question, Index shown);

/// "'sat' looks at 'cat' 0.82, 'on' 0.05", head by head: strongest first, as many as there are.
std::string looksInWords(const Document& document, const LineChoice& choice,
                         const LineQuestion& question, const LooksAt& at);

/// "output of 'sat' = 0.82 of 'cat' + 0.05 of 'on' + 0.13 of 4 others", of their values.
std::string mixInWords(const Document& document, const ValueMix& mix, const RowRef& row);
/// What the head's output has beside the weighted mean: gain, pins; empty where nothing.
std::string afterMixInWords(const Document& document, const ValueMix& mix, const RowRef& row);

/// "‖q‖ 5.21 × ‖k‖ 4.83 × cos 52° 0.611 = 15.4", then what becomes of it.
std::string productInWords(const QueryKeyProduct& product);
std::string scoreInWords(const Trace& trace, const RowRef& row, Index key,
                         const QueryKeyProduct& product);
/// Whether the largest product comes from length or from direction.
std::string largestInWords(const Document& document, const KeyProducts& products, Index item);

}  // namespace headscope::ui
