// ModelDocument: what a model's pass is computed from (the model, the tokens, what was edited in
// its layers) as one immutable value. Layer ℓ's attention on the present text is a Document like
// any other; what is edited there goes back into the model with `withLayer`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/model/model.h"

namespace headscope::model {

struct ModelInput {
  std::vector<Index> ids;
  std::vector<Index> types;         // of each token, where the model has types; empty: all 0
  std::vector<std::string> tokens;  // how each is called; empty: by its id

  bool operator==(const ModelInput&) const = default;
};

/// Of a layer's document that which was edited: all but its X.
struct EditedLayer {
  AttentionConfig config;
  Weights weights;
  Pins pins;
};

struct ModelDocument {
  ModelPtr model;
  ModelInput input;
  std::map<Index, EditedLayer> edited;

  Index tokens() const { return std::ssize(input.ids); }
};

using ModelDocumentPtr = std::shared_ptr<const ModelDocument>;

/// The longest text that the model takes, in tokens.
Index mostTokens(const ModelConfig& config);

/// Throws UserError for no tokens, more than the model has positions for, ids outside of its
/// vocabulary and types that it does not have.
ModelDocumentPtr makeModelDocument(ModelPtr model, ModelInput input);

/// The same with other tokens. Edits stay as far as they fit: of another length a painted mask and
/// pins on what is not there any more go.
ModelDocumentPtr withInput(const ModelDocument& document, ModelInput input);

/// Layer ℓ's attention over X (1, T, D), what reaches it: the model's own weights, or the edited
/// ones.
DocumentPtr layerDocument(const ModelDocument& document, Index layer, Tensor x,
                          ScoreStorage held = ScoreStorage::all);

/// With layer ℓ as a document of it was edited. Throws UserError where it is not of that size.
ModelDocumentPtr withLayer(const ModelDocument& document, Index layer, const Document& edited);
/// With layer ℓ as the model has it.
ModelDocumentPtr withoutEdits(const ModelDocument& document, Index layer);

struct HeadOfLayer {
  Index layer = 0, head = 0;

  bool operator==(const HeadOfLayer&) const = default;
};
/// Its place among all heads, layer by layer.
inline std::size_t placeOf(const HeadOfLayer& head, const ModelConfig& config) {
  return static_cast<std::size_t>(head.layer * config.heads + head.head);
}
/// With these heads switched off (their gain is 0). Throws UserError for one that is not there.
ModelDocumentPtr withoutHeads(const ModelDocument& document, const std::vector<HeadOfLayer>& heads);

}  // namespace headscope::model
