// Export subject: the pass that an export is of (the layer in Flow, or the whole model of the page
// Model), and how sentences name it.
#pragma once

#include <string>

#include "core/document/document.h"
#include "core/model/model_trace.h"

namespace headscope::ui {

/// "Flow's layer (d_model 512, 8 heads, 6 tokens)", "gpt2, layer 3 (d_model 768, 12 heads, …)".
std::string layerInWords(const Document& document);

/// "gpt2 (12 layers of 12 heads, 14 tokens, 1 head off)"
std::string modelInWords(const model::ModelTrace& trace);

/// "layer 3 of gpt2 (12 heads, 14 tokens)"
std::string layerOfModelInWords(const model::ModelTrace& trace, Index layer);

}  // namespace headscope::ui
