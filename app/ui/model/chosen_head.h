// Chosen head: the head of a model that readings and exports are about, where the view may show the
// heads of an encoder or of one of a decoder's two attentions.
#pragma once

#include "core/attention/places.h"

namespace headscope::model {
struct ModelConfig;
enum class Stack;
}  // namespace headscope::model

namespace headscope::ui {

struct ModelView;

/// The chosen head of a model, of two stacks of the decoder: where the heads of the encoder are
/// shown, that of the cross-attention with the layer and number of the chosen one.
HeadOfLayer chosenHead(const ModelView& view, const model::ModelConfig& config);
/// Chooses a head, of a model of two stacks with its attention.
void chooseHead(ModelView& view, const model::ModelConfig& config, const HeadOfLayer& head);
void chooseHead(ModelView& view, const model::ModelConfig& config, model::Stack stack,
                const HeadOfLayer& head);
/// Returns whether a layer of a stack is the chosen one.
bool isChosenLayer(const ModelView& view, const model::ModelConfig& config, model::Stack stack,
                   Index layer);

}  // namespace headscope::ui
