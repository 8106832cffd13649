// Top bar: pages, preset, dimensions, switches, undo and redo, looks. Typed values that cannot be
// used yet are kept as a draft and explained, and the document does not change.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/number_field.h"
#include "app/ui/page.h"
#include "core/attention/rotary.h"
#include "core/base/error.h"
#include "core/base/index.h"

namespace headscope::ui {

struct Preferences;

struct ViewMenuMemory {
  float scale = 0.0F;  // the slider's value while it is dragged; 0: not dragged
};

struct TopBarMemory {
  NumberDraft dModel, heads, tokens;
  NumberDraft batch, kvHeads, headDim, temperature, window, lengths, theta, sink, pairBiasSeed,
      seed;                                          // more settings
  std::map<std::string_view, NumberDraft> switches;  // by key, of those without a field above
  // the dimensions as last typed, while they do not fit together
  Index draftDModel = 0, draftHeads = 0;
  std::vector<Problem> problems;
  std::array<Index, 3> known{};  // d_model, heads and tokens of the document in the last frame
  Rotary rotary{.theta = Rotary::kUsualTheta};  // the settings when it was last on
  ViewMenuMemory view;
  bool unfolded = false;  // the settings of a narrow bar are shown
  float width = 0.0F;     // of the bar; on Stage as wide as a bar whose settings have as much room
  float height = 0.0F;
};

struct TopBarState {
  const Pages& pages;
  bool canUndo = false, canRedo = false;
  std::string undoName, redoName;
};

class TopBar {
 public:
  /// Draws the bar over the width of the display.
  void draw(const PanelContext& panel, const TopBarState& state);
  /// The height in the last frame, with all rows after wrapping; 0: not known yet.
  float height() const { return memory_.height; }

 private:
  TopBarMemory memory_;
};

/// Draws the popup "more" while it is open. `withBias`: includes the switch that a narrow bar
/// omits.
void moreSettings(const PanelContext& panel, TopBarMemory& memory, bool withBias);
/// Draws the items of the open view menu: theme, animation, colour maps and the interface's size.
void viewMenu(const PanelContext& panel, ViewMenuMemory& memory);

/// Draws the items of the open export menu.
void exportMenu(const PanelContext& panel);

/// Makes the interface larger or smaller by a quarter per step.
void zoomInterface(Preferences& preferences, int steps);

}  // namespace headscope::ui
