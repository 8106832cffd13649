// Model pass: what the model command has computed, its tables and the parts of its JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/model_image.h"
#include "app/cli/model_readings.h"
#include "core/base/json.h"
#include "core/model/model_heads.h"
#include "core/model/tokenized.h"

namespace headscope::cli {

/// A pass with its measured heads, and those of the probe. Of an encoder–decoder model it is that
/// of the decoder.
struct ModelPass : model::MeasuredPass {
  std::optional<model::MeasuredPass> encoder;
  std::optional<Generated> written;          // a target that the model wrote
  std::optional<model::MeasuredPass> probe;  // set if it was requested
  formats::TokenizerPtr names;               // null: the folder has none
  Json steering;                             // null: nothing is steered
  std::optional<TextMatch> match;            // of CLIP's image
  /// For each head, the class token's weight on the shape of a drawing; empty for other pictures.
  std::vector<double> onShape;

  std::string nameOf(Index id) const {
    return model::predictedName(id, trace->config(), names.get());
  }
};

/// Prints the model, the predictions and the labels of all heads.
void print(std::ostream& out, const ModelPass& pass);

/// For each place its `count` most probable tokens; empty without a readout.
Json predictionsJson(const ModelPass& pass, Index count);
/// Adds the heads of a pass to a list; `encoder`: those of the encoder of two stacks; `onShape`: of
/// ModelPass.
void addHeads(Json& heads, const model::MeasuredPass& pass, bool encoder = false,
              const std::vector<double>& onShape = {});
/// For each layer the experts of each token; null for a layer without experts.
Json expertsJson(const model::ModelTrace& trace);

}  // namespace headscope::cli
