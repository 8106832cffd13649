// Opening a file: a series, an input or weights becomes the edits that load it.
#pragma once

#include <filesystem>
#include <vector>

#include "core/edit.h"

namespace headscope {

/// A .csv gives the input; a .safetensors its `x` (and `memory`), its weights, or both. The edits
/// are to be applied in order. A file does not say how many heads its weights are for: the
/// document's head width, where it is given by itself, or its heads decide. Throws UserError naming
/// the file and what is wrong with it.
std::vector<Edit> editsToOpen(const std::filesystem::path& path, const Document& document);

}  // namespace headscope
