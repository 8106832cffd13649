// Generation view: the settings of generation, the new tokens as they arrive, and the KV cache. It
// fills the rest of the current window.
#pragma once

#include <string>
#include <vector>

#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/ui/model/steering_view.h"
#include "app/ui/number_field.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct PanelContext;

/// The text with the new tokens appended, or the target that they are, and whether the tokenizer
/// splits it into exactly these tokens again.
struct TextGoneOn {
  std::string text, added;
  bool sameTokens = true;
};

class GenerationTab {
 public:
  GenerationTab(LiveModel& model, LiveGeneration& generation)
      : model_(model), generation_(generation) {}

  void draw(const PanelContext& panel, const ModelMoment& moment);

 private:
  bool full(const PanelContext& panel, const ModelMoment& moment);
  void choice(const PanelContext& panel, const ModelMoment& moment);
  void branches(const PanelContext& panel, const ModelMoment& moment);
  void takeButton(const PanelContext& panel, const ModelMoment& moment, const TextGoneOn& on);
  void controls(const PanelContext& panel, const ModelMoment& moment);
  static void memoryRows(const PanelContext& panel, const ModelMoment& moment,
                         const GenerationMoment& now, const Rect& room);
  void made(const PanelContext& panel, const ModelMoment& moment, const GenerationMoment& now);
  void take(const PanelContext& panel, const ModelMoment& moment, const GenerationMoment& now);

  LiveModel& model_;
  LiveGeneration& generation_;
  NumberDraft tokens_, temperature_, topK_, seed_, beams_;
  SteeringControls steering_;
  Index branch_ = -1;           // the end of the shown path
  std::uint64_t branchOf_ = 0;  // the search that it is of
};

/// The tokens that a generation continues: the text's; of an encoder–decoder model the start token
/// of a target, so that a whole target is written.
std::vector<Index> tokensBefore(const ModelMoment& moment);
TextGoneOn textGoneOn(const ModelMoment& moment, const std::vector<Index>& made);

}  // namespace headscope::ui
