// Edits: every change of a document as a value. `apply` checks an edit and returns the next
// document.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/attention/dropout.h"
#include "core/attention/head_norm.h"
#include "core/attention/mask.h"
#include "core/attention/mistakes.h"
#include "core/attention/pair_bias.h"
#include "core/attention/pins.h"
#include "core/attention/rotary.h"
#include "core/attention/weights.h"
#include "core/document/fwd.h"
#include "core/editing/make_document.h"
#include "core/editing/region.h"
#include "core/input/input.h"

namespace headscope {

struct Switch;
struct Switches;

struct SetDimensions {  // together, since one alone may not divide
  Index dModel = 0;
  Index numHeads = 0;
  Index numKvHeads = 0;
  Index headDim = 0;  // d_k; 0: d_model / heads
};
struct SetTokens {
  Index seqLen = 0;
};
struct SetBatch {
  Index batch = 0;
};
/// Sets a flag or number of the configuration: SetSwitch{&Switches::temperature, 0.5}.
/// ALiBi and rotary positions exclude each other: setting one clears the other.
template <typename Value>
struct SetSwitch {
  Value Switches::*field;
  Value value;
};
template <typename Value>
SetSwitch(Value Switches::*, Value) -> SetSwitch<Value>;
struct SetMask {
  Mask mask;
  std::string name = {};  // its name in the undo list; empty: named by its changes
};
struct SetRotary {
  Rotary rotary;
};
struct SetSinks {
  std::vector<float> sinks;  // one for each head; empty: none has a sink
};
struct SetPairBias {
  PairBias bias;  // off: none is added
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
struct SetWeights {  // loaded weights, which determine d_model, d_k, D_kv and the memory's width
  std::string name;
  Weights weights;
  bool bias = true;
  Index numHeads = 0;
  Index numKvHeads = 0;
  HeadNorm headNorm = {};  // off where the weights have none
  // Their gate is switched on with them; a gate that they lack is drawn where it is on.
};
struct SetHeadGain {
  Index head = 0;
  float gain = 1.0F;
};
struct SetCell {  // of X, the memory, a weight matrix, a bias or the pair bias
  CellRef cell;
  float value = 0.0F;
};
struct FillRegion {
  Region region;
  Fill fill;
};
struct CopyHead {  // copies a head's part of a weight matrix or bias to another head
  TensorId tensor = TensorId::wQ;
  Index from = 0;
  Index to = 0;
};
struct TieKeysToQueries {};  // W_K = W_Q and b_K = b_Q, so that every S is symmetric
struct SetPin {
  Pin pin;
};
struct RemovePin {
  CellRef cell;
};
struct RemoveAllPins {
  std::optional<CellRef> of;  // only those of the matrix this cell lies in
};
struct SetMistake {
  Mistake mistake = Mistake::reshapeWithoutTranspose;
  bool on = true;
};
struct SetDropout {
  Dropout dropout;
};
struct Open {  // opens a preset, a file, or any other document
  DocumentPtr document;
  std::string name;  // its name in the undo list
};

/// One of the edits above. edit.cpp compiles its copies once, since those of a variant of so many
/// types take long.
struct Edit : std::variant<SetDimensions, SetTokens, SetBatch, SetSwitch<bool>, SetSwitch<double>,
                           SetMask, SetRotary, SetSinks, SetPairBias, SetPositions, SetText,
                           MoveToken, SetInput, DrawWeights, SetWeights, SetHeadGain, SetCell,
                           FillRegion, CopyHead, TieKeysToQueries, SetPin, RemovePin, RemoveAllPins,
                           SetMistake, SetDropout, Open> {
  using variant::variant;
  Edit(const Edit&);
  Edit(Edit&&) noexcept;
  Edit& operator=(const Edit&);
  Edit& operator=(Edit&&) noexcept;
  ~Edit();
};

/// The edit that sets a switch of the table; a flag is on where `value` is not 0.
Edit setSwitch(const Switch& which, double value);

/// The name of an edit in the undo list ("heads = 16").
std::string nameOf(const Edit& edit, const Document& before);

struct EditResult {
  DocumentPtr document;
  std::string note;  // further changes ("weights drawn again: xavier, seed 1"), or empty
};

/// Checks the edit and returns the next document. Throws UserError (with problems() where a
/// configuration is refused) and then changes nothing.
EditResult apply(const Document& document, const Edit& edit, Index memoryBudgetBytes,
                 const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
