// Stage: the current step's matrices as heatmaps, laid out as the multiplication they are, with the
// arithmetic of the cell under the mouse or clicked.
#pragma once

#include <memory>

#include "app/ui/card.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// On the timeline it shows what belongs to that moment, and says it.
std::unique_ptr<Card> makeStageCard(CellEditing& editing, const Playback& playback);

}  // namespace headscope::ui
