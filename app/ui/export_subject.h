// Export subject: the pass that an export contains (Flow's layer, or the whole model of the page
// Model), and its name in sentences.
#pragma once

#include <string>

#include "core/document/fwd.h"
#include "core/model/model_trace.h"

namespace headscope::ui {

/// The name of a layer: "Flow's layer (d_model 512, 8 heads, 6 tokens)", "gpt2, layer 3 (d_model
/// 768, 12 heads, …)".
std::string layerInWords(const Document& document);

/// The name of a model's pass: "gpt2 (12 layers of 12 heads, 14 tokens, 1 head off)".
std::string modelInWords(const model::ModelTrace& trace);

/// The name of one layer of that pass: "layer 3 of gpt2 (12 heads, 14 tokens)".
std::string layerOfModelInWords(const model::ModelTrace& trace, Index layer);

}  // namespace headscope::ui
