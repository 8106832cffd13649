// ModelDocument: the operands of a model's pass (the model, the tokens, the edits of its layers) as
// one immutable value. Layer ℓ's attention on the present text is a Document like any other;
// `withLayer` puts its edits back into the model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/places.h"
#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"
#include "core/model/model.h"

namespace headscope::model {

struct ModelInput {
  std::vector<Index> ids;
  std::vector<Index> types;         // of each token, where the model has types; empty: all 0
  std::vector<std::string> tokens;  // their names; empty: the ids
  /// An image, normalised, (channels, height, width); ids are then the places. Null for a text.
  std::shared_ptr<const Tensor> pixels = nullptr;

  bool operator==(const ModelInput&) const = default;
};

/// The input of a model that reads images. Throws UserError for pixels that do not fit it.
ModelInput imageInput(const Model& model, Tensor pixels);

struct EditedLayer;  // edited_layer.h

/// A direction added to the residual stream that enters a layer (steering.h).
struct Steering {
  static constexpr Index kEveryPlace = -1;

  Index layer = 0;
  Index place = kEveryPlace;    // tokens that continue the text are steered at every place
  std::vector<float> addition;  // (D)

  bool operator==(const Steering&) const = default;
};

class ModelTrace;
using ModelTracePtr = std::shared_ptr<const ModelTrace>;

struct ModelDocument {
  ModelPtr model;
  ModelInput input;
  std::map<Index, std::shared_ptr<const EditedLayer>> edited;
  std::vector<Steering> steering = {};
  /// The encoder's pass, whose last hidden state a decoder's cross-attention reads; null without
  /// one. An edit in the encoder gives another pass, and so another document of the decoder.
  ModelTracePtr memory = nullptr;

  Index tokens() const { return std::ssize(input.ids); }
};

using ModelDocumentPtr = std::shared_ptr<const ModelDocument>;

/// The longest text that the model takes, in tokens.
Index mostTokens(const ModelConfig& config);

/// Throws UserError for no tokens, more than the model has positions for, ids outside of its
/// vocabulary, types that it does not have, and for a decoder without the pass of its encoder.
ModelDocumentPtr makeModelDocument(ModelPtr model, ModelInput input,
                                   ModelTracePtr memory = nullptr);

/// The document with other tokens. Edits stay as far as they fit: where the number of tokens
/// changes, painted masks are dropped, and so is what pins or steers places that no longer exist.
ModelDocumentPtr withInput(const ModelDocument& document, ModelInput input);

/// The document of a decoder with another pass of its encoder, fitted as withInput does.
ModelDocumentPtr withMemory(const ModelDocument& document, ModelTracePtr memory);

/// Layer ℓ's attention over its input X (1, T, D), with the model's own weights or the edited ones.
/// X of several passes, (B, T, D), gives a document with as many batch items. `memory` (B, M, D),
/// if given, replaces the last states of the document's encoder.
DocumentPtr layerDocument(const ModelDocument& document, Index layer, Tensor x,
                          ScoreStorage held = ScoreStorage::all, const Tensor& memory = {});

/// The document with layer ℓ replaced by an edited layer document. Throws UserError where its sizes
/// differ.
ModelDocumentPtr withLayer(const ModelDocument& document, Index layer, const Document& edited);
/// The document on a model with the same layers and other weights, such as the same model with an
/// adapter at another strength: cells of weights that were edited keep their values, all others
/// become those of `model`.
ModelDocumentPtr onModel(const ModelDocument& document, const ModelPtr& model);
/// The document without the edits of layer ℓ.
ModelDocumentPtr withoutEdits(const ModelDocument& document, Index layer);

/// The index of a head among all heads, layer by layer.
inline std::size_t placeOf(const HeadOfLayer& head, const ModelConfig& config) {
  return static_cast<std::size_t>(head.layer * config.heads + head.head);
}
/// Throws UserError, with the layers and heads that there are, for a head that does not exist.
void requireHead(const Model& model, const HeadOfLayer& head);
/// The document with these heads switched off (gain 0). Throws UserError for a head that does not
/// exist.
ModelDocumentPtr withoutHeads(const ModelDocument& document, const std::vector<HeadOfLayer>& heads);

}  // namespace headscope::model
