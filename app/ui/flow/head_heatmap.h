// Head heatmap: one head's attention weights, averaged down to a small picture.
#pragma once

#include "app/gl/scene.h"
#include "core/trace.h"

namespace headscope::ui {

/// At most maxRows × maxCols cells.
gl::HeatmapSource weightsPicture(const Trace& trace, Index item, Index head, int maxRows,
                                 int maxCols);

}  // namespace headscope::ui
