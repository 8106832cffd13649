// TensorNames: what the files of a family call a model's tensors.
//
// Names are stems: ".weight" and ".bias" follow. Those of a layer stand behind `layer`, in which {}
// is the number of the layer. A null name: the model has no such tensor.
#pragma once

#include <array>

#include "core/base/index.h"

namespace headscope::formats {

struct TensorNames {
  /// How the rows of one tensor are divided into queries, keys and values.
  enum class Fused {
    stacked,    // all queries, then all keys, then all values
    byKeyHead,  // for each key/value head: its queries, its key, its value
  };

  const char* base = "";  // before all names but the readout's; a model saved by itself has none

  // The embedding, behind `base`.
  const char* tokens = "embed_tokens";
  const char* positions = nullptr;
  const char* types = nullptr;
  const char* embeddingNorm = nullptr;
  const char* projection = nullptr;
  bool projectionBias = true;
  bool bareNames = false;  // names behind `base` are whole, without ".weight"

  // A layer, behind `base`.
  const char* layer = "layers.{}.";
  const char* attentionNorm = nullptr;  // before the attention, or behind its sum
  bool firstAttentionNorm = true;       // layer 0 has it too
  const char* attentionOutputNorm = nullptr;
  const char* feedForwardNorm = nullptr;
  const char* feedForwardOutputNorm = nullptr;
  const char* query = nullptr;
  const char* key = nullptr;
  const char* value = nullptr;
  const char* queryKeyValue = nullptr;  // in the place of the three
  Fused fused = Fused::stacked;
  const char* output = nullptr;
  const char* queryNorm = nullptr;  // with {}: a tensor for each head
  const char* keyNorm = nullptr;
  const char* sinks = nullptr;
  const char* up = nullptr;
  const char* gate = nullptr;
  const char* gateUp = nullptr;  // in the place of both: the gate's rows, then up's
  const char* down = nullptr;
  const char* crossNorm = nullptr;  // of a decoder's cross-attention
  const char* crossQuery = nullptr;
  const char* crossKey = nullptr;
  const char* crossValue = nullptr;
  const char* crossOutput = nullptr;
  const char* distanceBias = nullptr;  // (buckets, H)
  bool inByOut = false;                // matrices are stored as (in, out)
  bool onePlusGain = false;            // norms store gain − 1
  bool gainless = false;               // norms have no weights: all gains are 1
  Index groups = 0;  // of layers that share their tensors, numbered by group; 0: none do

  // Mixtures of experts, in a layer; {} is the number of the expert.
  const char* router = nullptr;
  bool routerBias = false;
  const char* choiceBias = nullptr;  // a whole name
  const char* expert = nullptr;      // "mlp.experts.{}."; before the next three
  const char* expertGate = nullptr;
  const char* expertUp = nullptr;
  const char* expertDown = nullptr;
  const char* allExperts = nullptr;    // gpt-oss: the experts in one tensor, gate and up in turn
  const char* sharedExpert = nullptr;  // before gate, up and down of the network that all pass

  // Latent attention, in a layer.
  const char* queryDown = nullptr;
  const char* queryDownNorm = nullptr;
  const char* queryUp = nullptr;
  const char* keyValueDown = nullptr;
  const char* keyValueDownNorm = nullptr;
  const char* keyValueUp = nullptr;

  // Images, behind `base`: `tokens` is the projection of patches. Whole names of the special
  // tokens.
  bool patchBias = true;
  const char* classToken = nullptr;
  const char* distillationToken = nullptr;
  const char* registerTokens = nullptr;
  bool positionWeight = false;  // positions are a module with ".weight" (CLIP), not a parameter
  /// Factors of what each half of a layer adds, coordinate by coordinate (LayerScale: Touvron et
  /// al. 2021), in a layer; whole names.
  const char* attentionScale = nullptr;
  const char* networkScale = nullptr;
  const char* otherDecoder = nullptr;  // that of the distillation token; the logits' mean counts

  // Relative positions (DeBERTa), behind `base`.
  const char* relativePositions = nullptr;
  const char* relativeNorm = nullptr;
  const char* positionKey = nullptr;  // in a layer; null: the projections of content are shared
  const char* positionQuery = nullptr;

  // The readout. The final norm and what `baseTransform` says stand behind `base`.
  const char* finalNorm = nullptr;
  const char* transform = nullptr;
  const char* transformNorm = nullptr;
  bool baseTransform = false;  // the transform stands behind `base`, without a bias (OPT)
  bool transformBias = true;
  const char* decoder = "lm_head";
  const char* decoderBias = nullptr;       // a whole name
  const char* otherDecoderBias = nullptr;  // its name in other files
  const char* logitsBias = nullptr;        // a whole name, (1, V); a file without it has zeros

  // Tensors that a file may have and the pass leaves out.
  std::array<const char*, 2> repeatsOfTokens{};  // behind `base`: the embedding once more
  const char* leftOver = nullptr;                // the end of the names of tensors without effect
};

}  // namespace headscope::formats
