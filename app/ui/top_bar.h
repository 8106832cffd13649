// Top bar: pages, preset, dimensions, switches, undo and redo, looks. What is typed and cannot be
// used yet is kept as a draft, explained, and leaves the document as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/export_choice.h"
#include "app/ui/number_field.h"
#include "app/ui/page.h"
#include "app/ui/view_controls.h"

namespace headscope::ui {

struct TopBarMemory {
  NumberDraft dModel, heads, tokens;
  NumberDraft batch, kvHeads, headDim, temperature, window, lengths, seed;  // more settings
  // dimensions as last typed, while they do not go together
  Index draftDModel = 0, draftHeads = 0;
  std::vector<Problem> problems;
  ViewMenuMemory view;
  float height = 0.0F;  // of the bar in the last frame, with the rows it wrapped to
};

struct TopBarState {
  const Pages& pages;
  bool canUndo = false, canRedo = false;
  std::string undoName, redoName;
};

/// What was asked for in this frame.
struct TopBarWishes {
  std::string openPreset;
  bool saveTrace = false;
  std::optional<ExportKind> exportAs;  // opens the export dialog
  bool help = false;
};
/// Draws the bar over the width of the display.
TopBarWishes topBar(const Panel& panel, TopBarMemory& memory, const TopBarState& state);

}  // namespace headscope::ui
