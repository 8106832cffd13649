// Compared view: the page's pass next to another one, of another text or another model: the chosen
// head in both and the difference, both predictions, and where the models differ their weights. It
// fills the rest of the current window.
#pragma once

#include <string>

#include "app/live_model.h"

namespace headscope::ui {

struct PanelContext;

/// Draws the tensors of both models with their differences, and the pictures of one of them.
void drawComparedWeights(const PanelContext& panel, const ModelMoment& own,
                         const ModelMoment& other);

class ComparedTab {
 public:
  explicit ComparedTab(LiveModel& model) : model_(model) {}

  void draw(const PanelContext& panel, const ModelMoment& own);

 private:
  void controls(const PanelContext& panel, const ModelMoment& own);
  void models(const PanelContext& panel, const ModelMoment& own);

  LiveModel& model_;
  std::string path_;  // of another model, while it is typed
};

}  // namespace headscope::ui
