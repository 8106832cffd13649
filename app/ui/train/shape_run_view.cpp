#include "app/ui/train/shape_run_view.h"

#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "core/base/error.h"

namespace headscope::ui {

images::ShapeSettings chosenShapes(const TrainView& view) {
  images::ShapeSettings settings;
  settings.snapshotBytes = Index{128} << 20;
  if (view.layers > 0) settings.model.layers = view.layers;
  if (view.dModel > 0) settings.model.dModel = view.dModel;
  if (view.heads > 0) settings.model.heads = view.heads;
  settings.seed = view.seed;
  return settings;
}

void beginShapes(const PanelContext& panel, LiveShapes& shapes) {
  try {
    shapes.begin(chosenShapes(panel.trainView));
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

void beginShapesWhereAsked(const PanelContext& panel, LiveShapes& shapes) {
  shapes.setExample(panel.trainView.example);
  if (!shapes.isOf(chosenShapes(panel.trainView))) beginShapes(panel, shapes);
}

}  // namespace headscope::ui
