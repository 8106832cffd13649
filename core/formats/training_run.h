// Training run: a run as a folder: run.json (settings, step, curves, roles) and, next to it, its
// parameters and Adam's moments in state.<hash>.safetensors. A loaded run continues exactly as if
// it had not stopped.
#pragma once

#include <filesystem>
#include <memory>

#include "core/training/trainer.h"

namespace headscope::formats {

/// Writes a run and creates the folder if missing. A previous run stays intact until the new one is
/// complete. Throws UserError naming the path and the system's reason.
void saveRun(const std::filesystem::path& folder, const training::Trainer& run);

/// Reads a run. Throws UserError that names the file and the field or tensor that is missing,
/// damaged, of another shape or beyond the budget.
std::unique_ptr<training::Trainer> loadRun(const std::filesystem::path& folder,
                                           Index memoryBudgetBytes);

}  // namespace headscope::formats
