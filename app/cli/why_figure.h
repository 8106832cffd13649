// Why figure: a chain of sums as a picture or a vector figure, drawn by the card of the window.
#pragma once

#include <filesystem>

#include "core/formats/why_json.h"
#include "core/model/why_without.h"

namespace headscope::cli {

/// Draws all levels of a chain into a .png, .svg or .pdf file. Throws UserError where it cannot be
/// written, and for a figure in a build without cairo.
void writeWhyFigure(const std::filesystem::path& path, const model::WhyChain& chain,
                    const formats::WhyNames& names);

}  // namespace headscope::cli
