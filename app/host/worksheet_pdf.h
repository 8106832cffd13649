// Worksheet as PDF: a page with what is given and empty cells for all that follows, and a page with
// the answers. Needs cairo.
#pragma once

#include <cstdint>
#include <filesystem>

namespace headscope::host {

/// Writes the worksheet of a seed (core/presets/worksheet.h), A4. Throws UserError where the file
/// cannot be written, and in a build without cairo.
void writeWorksheet(const std::filesystem::path& path, std::uint64_t seed);

}  // namespace headscope::host
