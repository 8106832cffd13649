// Shape run: a run of an image model that learns to name shapes as a folder (run_state.h), and its
// model as a folder that opens like any other.
#pragma once

#include <filesystem>
#include <memory>

#include "core/images/shape_trainer.h"

namespace headscope::formats {

/// The task of such a run, in files and flags.
inline constexpr const char* kShapesTask = "shapes";

/// Writes a run. A previous run stays intact until the new one is complete. Throws UserError naming
/// the path and the system's reason.
void saveRun(const std::filesystem::path& folder, const images::ShapeTrainer& run);

/// Reads a run, which continues exactly as if it had not stopped. Throws UserError that names the
/// file and the field or tensor that is missing, damaged, of another shape or beyond the budget.
std::unique_ptr<images::ShapeTrainer> loadShapeRun(const std::filesystem::path& folder,
                                                   Index memoryBudgetBytes);

/// Writes config.json, preprocessor_config.json and model.safetensors (F16) into the folder, which
/// is created if missing: a ViT, which Hugging Face's transformers open as
/// ViTForImageClassification. Throws UserError where a file cannot be written.
void saveAsModel(const std::filesystem::path& folder, const images::ImageModel& model);

}  // namespace headscope::formats
