// Journey scene: the picture of a moment of the journey below its headline: the sentence, the bars
// of numbers that stand for its words, and what moves between them. All numbers are the trace's.
#pragma once

#include <span>
#include <string>

#include "app/ui/parts/layout.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/scene_layout.h"

namespace headscope {
class HeadEffects;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

struct SceneWords {
  std::span<const std::string> queries, keys;
  std::span<const char> unknown = {};  // nonzero: the word is not in the lexicon
};
/// Draws the picture. A click on a cell chooses it. `effects`: what each head adds to the output;
/// null while it is being computed. `hovered`: the word under the mouse, or −1.
void drawScene(const PanelContext& panel, const StageSubject& subject, const JourneyMoment& moment,
               const SceneLayout& layout, const SceneWords& words, const Rect& room,
               const HeadEffects* effects, int hovered);

}  // namespace headscope::ui
