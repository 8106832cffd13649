// Chosen head: the head of a model that readings and exports are about, where the view may show the
// heads of an encoder or of one of a decoder's two attentions.
#pragma once

#include "core/attention/places.h"

namespace headscope::model {
struct ModelConfig;
}  // namespace headscope::model

namespace headscope::ui {

struct ModelView;

/// The chosen head of a model, of two stacks of the decoder: where the heads of the encoder are
/// shown, that of the cross-attention with the layer and number of the chosen one.
HeadOfLayer chosenHead(const ModelView& view, const model::ModelConfig& config);
/// Chooses a head, of a decoder with its attention.
void chooseHead(ModelView& view, const model::ModelConfig& config, const HeadOfLayer& head);

}  // namespace headscope::ui
