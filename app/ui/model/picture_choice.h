// Picture choice: the names of pictures that a model of images is given, and our drawings, which
// such a model is offered wherever it is given one.
#pragma once

#include <optional>
#include <string>

namespace headscope::ui {

struct FrameContext;

/// The name of a picture's file, or of our drawing: "circle-2"; an empty path is our own picture.
std::string pictureName(const std::string& path);
/// A drawing of another shape than that of a picture.
std::string anotherDrawing(const std::string& picture);

/// Draws a button for each kind of shape. Returns the drawing that was chosen: of the shown shape
/// another one, of another shape the one at the same place, in the same colours. `id` sets the
/// buttons of several such rows apart.
std::optional<std::string> offerDrawings(const FrameContext& look, const char* id,
                                         const std::string& picture, bool beginsRow);

}  // namespace headscope::ui
