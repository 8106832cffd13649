// Worksheet as PDF: pages with what is given and empty cells for all that follows, and pages with
// the answers. Needs cairo.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/document/fwd.h"

namespace headscope {

/// Returns whether this build has cairo, which draws worksheets.
bool drawsWorksheets();

/// Writes the worksheet of a seed (core/presets/worksheet.h) with the dimensions, words and mask of
/// `like`, on A4. Throws UserError where none can be made like it, where the file cannot be
/// written, and in a build without cairo.
void writeWorksheet(const std::filesystem::path& path, std::uint64_t seed, const Document& like);

}  // namespace headscope
