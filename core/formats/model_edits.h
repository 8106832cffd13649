// Model edits: the changes of a model's stack without the model itself: the heads that are off and,
// for each edited layer, its switches, its pins and the cells of its weights that differ from the
// model's own. A session stores them. Applied to the same model, they reproduce the pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/pins.h"
#include "core/base/json.h"
#include "core/formats/cell_changes.h"
#include "core/formats/tensor_table.h"
#include "core/model/model_changes.h"

namespace headscope::formats {

/// The differences of a layer's document from the model's own.
struct LayerSettings {
  struct Changed {
    std::vector<CellChange> cells;
    Tensor whole{};  // instead of `cells` where more than kMostCells differ
  };
  static constexpr Index kMostCells = 10'000;

  AttentionConfig config;
  std::map<TensorId, Changed> weights;
  Pins pins;
};

struct LayerEdits {
  std::uint64_t ownWeights = 0;  // a hash of the model's own weights, which were edited
  std::vector<Index> headsOff;
  std::optional<LayerSettings> edited{};
};

struct ModelEdits {
  std::filesystem::path folder;  // or the name of a model that comes with the program
  std::string name;
  std::map<Index, LayerEdits> layers;
  model::Stack stack = model::Stack::decoder;
};

/// The edits of a stack of an open model; `shown` are further layers whose own weights are noted.
/// Throws UserError where the model's weights cannot be read.
ModelEdits editsOf(const std::filesystem::path& folder, const model::ModelDocument& document,
                   const std::vector<HeadOfLayer>& off, const std::vector<Index>& shown,
                   model::Stack stack = model::Stack::decoder);

/// Puts edits onto their stack, an open model. `memory`: the pass of the encoder, which a decoder
/// reads. Throws UserError where the model's weights are not those that were edited.
model::StackChanges editsOn(const model::ModelPtr& model, const ModelEdits& edits,
                            const model::ModelInput& input,
                            const model::ModelTracePtr& memory = nullptr);

/// Returns whether a document's switches, weights or pins differ from those of the model's layer.
bool differs(const Document& document, const model::ModelDocument& of, Index layer);

/// `name` is the prefix of its tensors' names.
Json modelEditsJson(const ModelEdits& edits, const std::string& name, TensorsToSave& tensors);
ModelEdits modelEditsFrom(const JsonField& field, TensorsToRead& tensors, Index memoryBudget);

}  // namespace headscope::formats
