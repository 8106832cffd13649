// Line drawing: weights as ribbons between two columns of tokens, and as numbers beside them.
#pragma once

#include "app/ui/heads/chosen_lines.h"
#include "app/ui/heads/token_columns.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Gives how many were drawn: those of tokens that are out of sight at both ends are not.
Index drawLines(const Panel& panel, const TokenColumns& columns, const LineChoice& choice);

/// At the other end of the lines of the token looked at, their weights; where none is, nothing.
void drawWeights(const Panel& panel, const TokenColumns& columns, const LineChoice& choice);

}  // namespace headscope::ui
