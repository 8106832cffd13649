// Shape run view: the run of an image model on shapes that the view names.
#pragma once

#include "app/live_shapes.h"
#include "app/ui/train/train_view.h"

namespace headscope::ui {

struct PanelContext;

/// Returns the settings of the view's run: those of the model that ships, with the view's own
/// changes.
images::ShapeSettings chosenShapes(const TrainView& view);
/// Restarts the view's run, or reports why it cannot run.
void beginShapes(const PanelContext& panel, LiveShapes& shapes);
/// Begins a new run where the view names another, or where there is none.
void beginShapesWhereAsked(const PanelContext& panel, LiveShapes& shapes);

}  // namespace headscope::ui
