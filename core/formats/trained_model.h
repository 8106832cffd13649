// Trained model: the model of a training run, written as a model folder (model_type "headscope" in
// its config.json), which opens like any other.
#pragma once

#include <filesystem>

#include "core/training/task_model.h"

namespace headscope::formats {

/// Writes config.json, model.safetensors (float32) and tokenizer.json, one token for each letter,
/// into the folder, which is created if missing. Throws UserError for a task other than predicting
/// the next symbol, and where a file cannot be written.
void saveAsModel(const std::filesystem::path& folder, const training::TaskModel& model);

}  // namespace headscope::formats
