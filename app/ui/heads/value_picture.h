// Value picture: the values of a head as points, a query's output as a cross, lines between them.
#pragma once

#include "app/ui/heads/value_mix.h"
#include "app/ui/panel.h"
#include "app/ui/tools/chart.h"

namespace headscope::ui {

/// Axes of one scale that hold all of the values and the outputs, in a box.
PlainChart valueAxes(const Look& look, const ValuePlane& plane, const ValueMix& mix, ImVec2 at,
                ImVec2 size);

/// True where what the head hands on is not the weighted mean.
bool handsOnOther(const PlainChart& chart, const WeightedMean& mean);

void valuePicture(const Panel& panel, const ValuePlane& plane, const ValueMix& mix,
                  const RowRef& row, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
