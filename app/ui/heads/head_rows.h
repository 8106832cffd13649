// Head rows: what a head looks like and measures, beside its pictures elsewhere: rows in the
// inspector, with the rule that gave it its name, and the lines of its tile on the heads strip.
#pragma once

#include <string>
#include <vector>

#include "app/ui/heads/figures.h"

namespace headscope::ui {

/// Whole: the label, its rule and six figures, a line each. Brief: the label with its rule.
enum class HeadRowsLength { none, brief, whole };

float headRowsHeight(const Look& look, HeadRowsLength length);
/// At the cursor.
void headRows(const Panel& panel, Index head, const MeasuredHeads& heads, HeadRowsLength length);

struct TileLine {
  ImFont* font = nullptr;
  std::string text;
};

/// Its label, "H 1.41 bits" and "max 0.70", on one line where both fit `room`; what is not defined
/// is left out. Without the label where the head is `named` otherwise.
std::vector<TileLine> tileLines(const Look& look, const HeadReport& report, Index head, float room,
                                bool named);

}  // namespace headscope::ui
