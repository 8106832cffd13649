// Document: everything a pass is computed from (configuration, input, weights) as one immutable
// value. An Edit makes the next one; what two documents have in common they share.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "core/config.h"
#include "core/input/input.h"
#include "core/weights/weights.h"

namespace headscope {

struct Document {
  std::string preset;  // the preset it started from; empty after none
  AttentionConfig config;
  Positions positions = Positions::named;
  std::shared_ptr<const InputSource> source;
  std::shared_ptr<const Input> input;
  WeightSource weightSource;
  Weights weights;
};

using DocumentPtr = std::shared_ptr<const Document>;

struct SetDimensions {  // together, since one alone may not divide
  Index dModel = 0;
  Index numHeads = 0;
  Index numKvHeads = 0;
};
struct SetTokens {
  Index seqLen = 0;
};
struct SetBatch {
  Index batch = 0;
};
struct SetBias {
  bool on = true;
};
struct SetScale {
  bool on = true;
};
struct SetTemperature {
  double value = 1.0;
};
struct SetMask {
  Mask mask;
};
struct SetPositions {
  Positions positions = Positions::named;
};
struct SetText {
  Index item = 0;
  bool memory = false;
  std::string text;
};
struct MoveToken {
  Index item = 0;
  bool memory = false;
  Index from = 0;
  Index to = 0;
};
struct SetInput {
  std::shared_ptr<const InputSource> source;
};
struct DrawWeights {
  WeightInit init = WeightInit::xavier;
  std::uint64_t seed = 1;
};
struct SetWeights {  // loaded ones; d_model, D_kv and the memory's width are theirs
  std::string name;
  Weights weights;
  bool bias = true;
  Index numHeads = 0;
  Index numKvHeads = 0;
};
struct SetHeadGain {
  Index head = 0;
  float gain = 1.0F;
};
struct Open {  // a preset, a file, or another document altogether
  DocumentPtr document;
  std::string name;  // what it is called in the undo list
};

using Edit = std::variant<SetDimensions, SetTokens, SetBatch, SetBias, SetScale, SetTemperature,
                          SetMask, SetPositions, SetText, MoveToken, SetInput, DrawWeights,
                          SetWeights, SetHeadGain, Open>;

/// What an edit is called in the undo list ("heads = 16").
std::string nameOf(const Edit& edit, const Document& before);

struct Applied {
  DocumentPtr document;
  std::string note;  // what else had to change ("weights drawn anew: xavier, seed 1"), or empty
};

/// Checks the edit and gives the next document. Throws UserError (with problems() where a
/// configuration is refused) and then nothing has changed.
Applied apply(const Document& document, const Edit& edit, Index memoryBudgetBytes);

/// A document from its parts: takes T, M and B from the source (as `fitTo`) unless `fixedTokens`,
/// validates, checks the budget, embeds the input and draws the weights. Throws UserError.
DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens = false);

/// Bytes of tensors and painted masks that `document` holds and `other` does not.
Index bytesNotShared(const Document& document, const Document& other);

}  // namespace headscope
