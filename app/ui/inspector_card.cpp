#include "app/ui/inspector_card.h"

#include <array>
#include <vector>

#include "app/ui/history_panel.h"
#include "app/ui/inspector.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

struct CardTab {
  InspectorTab tab;
  const char* title;
  const char* about;
};

constexpr std::array kTabs{
    CardTab{InspectorTab::cell, "Inspector", "the cell looked at"},
    CardTab{InspectorTab::history, "History", "every edit, to go back to, and the pinned cells"},
    CardTab{InspectorTab::scenes, "Scenes", "bookmarks of state and view: 1 to 9, ctrl+1 to 9"},
};

}  // namespace

void inspectorCard(const Panel& panel, Magnitudes& magnitudes, CellEditing& editing,
                   ScenesPanel& scenes, const MeasuredHeads& heads) {
  std::vector<Tab> tabs;
  int chosen = 0;
  for (std::size_t i = 0; i < kTabs.size(); ++i) {
    tabs.push_back({kTabs[i].title, kTabs[i].about});
    if (kTabs[i].tab == panel.view.inspectorTab) chosen = static_cast<int>(i);
  }
  const int clicked = tabRow(panel.look, "inspector tabs", tabs, chosen);
  if (clicked >= 0) panel.view.inspectorTab = kTabs[static_cast<std::size_t>(clicked)].tab;
  switch (panel.view.inspectorTab) {
    case InspectorTab::history:
      historyPanel(panel);
      break;
    case InspectorTab::scenes:
      scenesPanel(panel, scenes);
      break;
    default:
      inspectorPanel(panel, magnitudes, editing, heads);
      break;
  }
}

}  // namespace headscope::ui
