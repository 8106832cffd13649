// Heads over a set: the measures of a model's heads as means over many texts, in the place of those
// on the page's own text.
#pragma once

#include "app/live_model.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/model/sweep_texts.h"

namespace headscope::ui {

struct PanelContext;

/// Draws how the shown measure of the chosen head varies, with the text in which it is largest; a
/// click opens that text. Returns the means, for this frame.
ShownHeads headsOverSet(const PanelContext& panel, LiveModel& live, const ModelMoment& moment,
                        const ChosenTexts& set);

}  // namespace headscope::ui
