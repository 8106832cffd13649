// Generation view: the settings of generation, the new tokens as they arrive, and the KV cache. It
// fills the rest of the current window.
#pragma once

#include <string>
#include <vector>

#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/ui/model/steering_view.h"
#include "app/ui/number_field.h"

namespace headscope::ui {

struct PanelContext;

class GenerationTab {
 public:
  GenerationTab(LiveModel& model, LiveGeneration& generation)
      : model_(model), generation_(generation) {}

  void draw(const PanelContext& panel, const ModelMoment& moment);

 private:
  bool full(const PanelContext& panel, const ModelMoment& moment);
  void controls(const PanelContext& panel, const ModelMoment& moment);
  void made(const PanelContext& panel, const ModelMoment& moment, const GenerationMoment& now);
  void take(const PanelContext& panel, const ModelMoment& moment, const GenerationMoment& now);

  LiveModel& model_;
  LiveGeneration& generation_;
  NumberDraft tokens_, temperature_, topK_, seed_;
  SteeringControls steering_;
};

/// The text with the new tokens appended, and whether the tokenizer splits it into exactly these
/// tokens again.
struct TextGoneOn {
  std::string text, added;
  bool sameTokens = true;
};
TextGoneOn textGoneOn(const ModelMoment& moment, const std::vector<Index>& made);

}  // namespace headscope::ui
