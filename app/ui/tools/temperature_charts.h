// Temperature charts: the three pictures of the temperature panel.
#pragma once

#include "app/ui/tools/temperature_panel.h"

namespace headscope::ui {

/// Weights per key: bars as they are, lines at other temperatures and with ÷√d_k switched over. A
/// click chooses a key's cell.
void distributionChart(const Panel& panel, const RowFigures& figures, ImVec2 at, ImVec2 size);

/// Entropy over temperature, with and without ÷√d_k. Dragging sets the temperature.
void entropyChart(const Panel& panel, const RowFigures& figures, ImVec2 at, ImVec2 size);

/// The variance of scores over d_k: expected, drawn, and this head's.
void varianceChart(const Panel& panel, const TemperatureMemory& memory, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
