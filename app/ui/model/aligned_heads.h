// Aligned heads: the heads of the cross-attention whose mean stands for a decoder's look at the
// source: the chosen one, those of its layer, all, or several that the user takes.
#pragma once

#include <vector>

#include "core/attention/places.h"

namespace headscope::model {
struct ModelConfig;
}  // namespace headscope::model

namespace headscope::ui {

struct ModelView;
struct PanelContext;

std::vector<HeadOfLayer> alignedHeads(const ModelView& view, const model::ModelConfig& config);
/// Draws the choice of them.
void chooseAlignedHeads(const PanelContext& panel, const model::ModelConfig& config);
/// Draws a square for each head of the cross-attention, a row for each layer; a click takes a head
/// into the mean or out of it.
void drawHeadSquares(const PanelContext& panel, const model::ModelConfig& config);

}  // namespace headscope::ui
