// Model pass: what the model command has computed, and its tables.
#pragma once

#include <optional>
#include <ostream>
#include <string>

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

  std::string nameOf(Index id) const {
    return model::predictedName(id, trace->config(), names.get());
  }
};

/// Prints the model, the predictions and the labels of all heads.
void print(std::ostream& out, const ModelPass& pass);

}  // namespace headscope::cli
