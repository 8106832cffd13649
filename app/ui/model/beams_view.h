// Beams view: the branches of a beam search as a tree of tokens with log-probabilities. The chosen
// path is marked; a click shows another one.
#pragma once

#include <vector>

#include "app/model_moment.h"
#include "core/model/beam_search.h"

namespace headscope::ui {

struct PanelContext;

/// Draws the tree in the rest of the current window. `chosen` is the end of the shown path, a node;
/// −1, or one that is not there: the best path's.
void drawBranches(const PanelContext& panel, const ModelMoment& moment, const model::Beams& beams,
                  Index& chosen);

/// The tokens of the path to a node, or where there is no such node of the best path.
std::vector<Index> tokensTo(const model::Beams& beams, Index chosen);

}  // namespace headscope::ui
