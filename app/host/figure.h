// Figure: a frame of the interface as a vector drawing, an SVG or a PDF file: shapes as paths, text
// as text that can be selected, without a background. Needs cairo; no graphics card.
#pragma once

#include <filesystem>

#include "app/app.h"

namespace headscope::host {

/// Returns whether the name asks for a figure: ".svg" or ".pdf".
bool isFigure(const std::filesystem::path& path);

/// The width of a figure on paper where none is given: that of a page's text.
inline constexpr double kFigureCentimetres = 16.0;

/// Draws what the request shows into its path, `centimetres` wide. Throws UserError where the pass
/// is refused, where the file cannot be written, and in a build without cairo.
void writeFigure(const PictureRequest& request, double centimetres = kFigureCentimetres);

/// Writes the requested picture or figure, by the ending of its path.
void writePicture(const PictureRequest& request, const std::filesystem::path& shaderDir = {});

}  // namespace headscope::host
