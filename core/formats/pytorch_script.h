// PyTorch script: a pass as a program, with its tensors, that anyone with PyTorch can check.
#pragma once

#include <filesystem>
#include <string>

#include "core/document/fwd.h"

namespace headscope::formats {

inline constexpr const char* kScriptName = "check_attention.py";

/// The script: rebuilds the pass's configuration from assets/pytorch/check_attention.py and the
/// steps' own lines, and compares every step with the tensors in the folder next to it.
std::string pytorchScript(const Trace& trace);

/// Writes the script and `tensors/NAME.npy` into `folder`, made where it is missing; an export that
/// is there already is replaced, as a whole. Throws UserError where `folder` is no folder or holds
/// files of those names that are not an export's, and names what cannot be written.
void exportPyTorch(const std::filesystem::path& folder, const Trace& trace);

}  // namespace headscope::formats
