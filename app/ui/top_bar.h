// Top bar: pages, preset, dimensions, switches, undo and redo, looks. What is typed and cannot be
// used yet is kept as a draft, explained, and leaves the document as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/export_choice.h"
#include "app/ui/number_field.h"
#include "app/ui/page.h"

namespace headscope::ui {

struct ViewMenuMemory {
  float scale = 0.0F;  // as the slider stands while it is dragged; 0: it is not
};

struct TopBarMemory {
  NumberDraft dModel, heads, tokens;
  NumberDraft batch, kvHeads, headDim, temperature, window, lengths, theta, seed;  // more settings
  // dimensions as last typed, while they do not go together
  Index draftDModel = 0, draftHeads = 0;
  std::vector<Problem> problems;
  Rotary rotary{.theta = Rotary::kUsualTheta};  // when it was last on
  ViewMenuMemory view;
  float height = 0.0F;
};

struct TopBarState {
  const Pages& pages;
  bool canUndo = false, canRedo = false;
  std::string undoName, redoName;
};

/// What was asked for in this frame.
struct TopBarWishes {
  bool saveTrace = false;
  std::optional<ExportKind> exportAs;  // opens the export dialog
  bool help = false;
};

class TopBar {
 public:
  /// Over the width of the display.
  TopBarWishes draw(const PanelContext& panel, const TopBarState& state);
  /// In the last frame, with the rows it wrapped to; 0: not known yet.
  float height() const { return memory_.height; }

 private:
  TopBarMemory memory_;
};

/// The popup "more", where it is open; with the switch that a narrow bar leaves to it.
void moreSettings(const PanelContext& panel, TopBarMemory& memory, bool withBias);
/// Theme, animation, colour maps and the interface's size: the items of an open popup.
void viewMenu(const FrameContext& look, ViewState& view, ViewMenuMemory& memory);

/// The interface larger or smaller by a quarter.
void zoomInterface(ViewState& view, int steps);

}  // namespace headscope::ui
