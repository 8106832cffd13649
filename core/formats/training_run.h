// Training run: a run as a folder: run.json (settings, step, curves, roles) and, beside it, its
// parameters and Adam's moments in state.<hash>.safetensors. Loaded, it goes on exactly as if it
// had not stopped.
#pragma once

#include <filesystem>
#include <memory>

#include "core/training/trainer.h"

namespace headscope::formats {

/// Makes the folder where there is none. What was there of a run before stays whole until the new
/// one is. Throws UserError naming the path and the system's reason.
void saveRun(const std::filesystem::path& folder, const training::Trainer& run);

/// Throws UserError that names the file, and the field or tensor, of what is missing, damaged, of
/// another shape or does not fit the budget.
std::unique_ptr<training::Trainer> loadRun(const std::filesystem::path& folder,
                                           Index memoryBudgetBytes);

}  // namespace headscope::formats
