// Tool card: the window's upper card. Its tabs show the dimension flow and the tools that take a
// step apart or ask "what if"; the stage below follows each of them.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "app/ui/flow/flow_panel.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "app/ui/tools/changes_panel.h"
#include "app/ui/tools/kv_cache_panel.h"
#include "app/ui/tools/mask_painter.h"
#include "app/ui/tools/mistakes_panel.h"
#include "app/ui/tools/per_head_panel.h"
#include "app/ui/tools/temperature_panel.h"
#include "app/ui/tools/terms_panel.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {

/// What the tools remember between frames, all of it recomputable.
struct ToolMemory {
  FlowMemory flow;
  PerHeadMemory perHead;
  ChangesMemory changes;
  MistakesMemory mistakes;
  TermsMemory terms;
  MaskPainterMemory mask;
  TemperatureMemory temperature;
  KvCacheMemory kvCache;

  /// `wake` is called from other threads when something that was measured is there.
  void setWake(const std::function<void()>& wake);
  /// Waits until all of it is.
  bool finish();
};

/// Fills the current card: the tabs, and below them the tool that is chosen.
void toolCard(const Panel& panel, ToolMemory& memory, Magnitudes& magnitudes,
              Explanations& explanations);

/// The chosen tool alone, at the cursor.
void toolPanel(const Panel& panel, ToolMemory& memory, Magnitudes& magnitudes,
               Explanations& explanations);

/// What a tool's tab is called, says of itself, and which key opens it.
struct ToolTab {
  Tool tool;
  const char* title;
  const char* about;
  char key;
};
std::span<const ToolTab> toolTabs();
const char* toolTitle(Tool tool);

/// The tool whose tab this key (a capital letter) opens, where there is one.
std::optional<Tool> toolOfKey(char key);

}  // namespace headscope::ui
