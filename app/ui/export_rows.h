// Export rows: the rows of the export dialog for a picture (export_picture.cpp) and for a film
// (export_film.cpp).
#pragma once

#include <string>

#include "app/ui/export_dialog.h"
#include "app/ui/frame_context.h"

namespace headscope::ui {

/// Draws a caption at the left and moves the cursor to its widget's place.
void exportCaption(const FrameContext& look, const char* text);
/// Draws the field of a whole number above 0, which the wheel and the arrows change by `step`.
/// Returns whether it changed.
bool wholeNumber(const FrameContext& look, const char* name, Index& value, NumberDraft& draft,
                 Index step = 10);

/// Draws the choice of the card that a picture or a film shows.
void pictureView(const PanelContext& panel, ExportDialogMemory& memory,
                 const ExportSources& sources);
/// Sets the picture's size to the window's until it is typed.
void pictureFollowsWindow(const PanelContext& panel, ExportDialogMemory& memory);
void pictureTheme(const FrameContext& look, ExportDialogMemory& memory);
void pictureRows(const PanelContext& panel, ExportDialogMemory& memory,
                 const ExportSources& sources);

void filmRows(const PanelContext& panel, ExportDialogMemory& memory, const ExportSources& sources);
/// A sentence that says why the film is impossible; empty where it is possible.
std::string filmProblem(const ExportDialogMemory& memory);
/// Draws how far the film is.
void filmProgress(const FrameContext& look, const FilmProgress& film);

}  // namespace headscope::ui
