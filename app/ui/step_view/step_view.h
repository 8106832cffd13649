// Step view: the current step's matrices as heatmaps, laid out as their multiplication, with the
// arithmetic of the cell under the mouse or of the chosen cell.
#pragma once

#include <memory>

#include "app/ui/card.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// The card of Flow. On the timeline, it shows the current moment and its narration.
std::unique_ptr<Card> makeStepViewCard(CellEditing& editing, const Playback& playback);
/// Another one with a text of its own, for another page.
std::unique_ptr<Card> makeStepViewCard(const CardText& text, CellEditing& editing,
                                       const Playback& playback);

}  // namespace headscope::ui
