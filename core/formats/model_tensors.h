// Model tensors: the files of a whole model's pass (attentions, hidden states, logits), as
// `model --trace` and the window's exports write them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/formats/export_tensor.h"
#include "core/model/model_trace.h"
#include "core/model/sites.h"
#include "core/model/stacks.h"
#include "core/tensor/safetensors.h"

namespace headscope::model {
struct ModelGradients;
}  // namespace headscope::model

namespace headscope::formats {

/// attentions (L, H, T, T); hidden_states (L + 1, T, D), as transformers gives them; logits (T, V),
/// of an image (V); last_hidden_state (T, D) of a model without logits. A decoder also has
/// cross_attentions (L, H, T, M).
enum class ModelTensor { attentions, crossAttentions, hiddenStates, logits, lastHiddenState };

/// "hidden_states"
std::string_view toString(ModelTensor tensor);
/// The name in the file of a trace: of a decoder "decoder_hidden_states".
std::string nameOf(ModelTensor tensor, const model::ModelTrace& trace);
Shape shapeOf(ModelTensor tensor, const model::ModelTrace& trace);
/// The tensors that a pass has: logits, or the last hidden state where the model was saved without
/// a readout.
std::vector<ModelTensor> tensorsOf(const model::ModelTrace& trace);

/// {"model_type","layers","d_model","num_heads", …}
Json configJson(const model::Model& model);
/// Adds the place of a layer as users count: "layer", and of a decoder "attention": decoder or
/// cross.
void addLayer(Json& json, Index layer, const model::ModelConfig& config,
              model::Stack stack = model::Stack::decoder);

/// Tensors that a trace's file has on request.
struct TraceExtras {
  /// Under their names; of a decoder "encoder_q", "decoder_q", "cross_q" and so on.
  std::vector<model::Site> sites = {};
  const model::ModelGradients* gradients = nullptr;         // "grad.heads" and so on; may be null
  const model::ModelGradients* encoderGradients = nullptr;  // "grad.encoder_heads" and so on
  std::string gradOf = {};               // the number they are of, for the metadata
  std::vector<NamedTensor> others = {};  // such as those of a match with texts
};

/// Writes every tensor of the pass to one file, of a decoder those of its encoder as well: NumPy's
/// archive where the path ends in .npz, else a safetensors file. Hidden states of different widths
/// stand one by one, "hidden_states.0" and so on. A safetensors file's metadata name the model, its
/// configuration, the ids of the tokens, and which heads were off and layers edited, if any. No
/// partial file is left. Throws UserError naming the path.
void saveTrace(const std::filesystem::path& path, const model::ModelTrace& trace,
               const TraceExtras& extras = {});

/// Writes one of its tensors. Throws as saveTrace does.
void exportTensor(const std::filesystem::path& path, const model::ModelTrace& trace,
                  ModelTensor tensor, TensorFormat format);

}  // namespace headscope::formats
