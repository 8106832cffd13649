#include "app/ui/tools/tool_card.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::array kTabs{
    ToolTab{Tool::flow, "Dimension flow",
            "heights follow the dimensions · click a block to open its step", 'D'},
    ToolTab{Tool::terms, "Terms", "where a number comes from, term by term", 'T'},
    ToolTab{Tool::mask, "Mask", "which key each query may see · drag to paint", 'M'},
    ToolTab{Tool::temperature, "Temperature",
            "what temperature and ÷√d do to a query's weights · drag the dot", 'S'},
    ToolTab{Tool::changes, "Changes", "what an edit changed, cell by cell and token by token", 'C'},
    ToolTab{Tool::mistakes, "Common mistakes", "made on purpose, beside the right way", 'W'},
    ToolTab{Tool::kvCache, "KV cache", "decoding token by token: what is new, what is kept", 'K'},
    ToolTab{Tool::perHead, "Combined or per head",
            "one matrix for all heads, or one for each: the same numbers", 'P'},
};

const ToolTab& tabOf(Tool tool) {
  const auto found = std::find_if(kTabs.begin(), kTabs.end(),
                                  [tool](const ToolTab& tab) { return tab.tool == tool; });
  return found != kTabs.end() ? *found : kTabs.front();
}

}  // namespace

void ToolMemory::setWake(const std::function<void()>& wake) {
  perHead.task.setWake(wake);
  mistakes.task.setWake(wake);
  temperature.measuring.setWake(wake);
}

bool ToolMemory::finish() {
  bool news = perHead.task.wait();
  news |= mistakes.task.wait();
  news |= temperature.measuring.wait();
  return news;
}

void toolPanel(const Panel& panel, ToolMemory& memory, Magnitudes& magnitudes,
               Explanations& explanations) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  switch (panel.view.tool) {
    case Tool::changes:
      changesPanel(panel, memory.changes);
      break;
    case Tool::mistakes:
      mistakesPanel(panel, memory.mistakes);
      break;
    case Tool::terms:
      termsPanel(panel, memory.terms, explanations);
      break;
    case Tool::kvCache:
      kvCachePanel(panel, memory.kvCache, magnitudes);
      break;
    case Tool::perHead:
      perHeadPanel(panel, memory.perHead, magnitudes);
      break;
    case Tool::mask:
      maskPainter(panel, memory.mask);
      break;
    case Tool::temperature:
      temperaturePanel(panel, memory.temperature);
      break;
    default:
      flowPanel(panel, memory.flow, room);
      break;
  }
}

void toolCard(const Panel& panel, ToolMemory& memory, Magnitudes& magnitudes,
              Explanations& explanations) {
  panel.view.pointed.clear();
  std::vector<Tab> tabs;
  int chosen = 0;
  for (std::size_t i = 0; i < kTabs.size(); ++i) {
    tabs.push_back({kTabs[i].title, std::string(kTabs[i].about) + " (" + kTabs[i].key + ")"});
    if (kTabs[i].tool == panel.view.tool) chosen = static_cast<int>(i);
  }
  const int clicked = tabRow(panel.look, "tools", tabs, chosen, tabOf(panel.view.tool).about);
  if (clicked >= 0) panel.view.tool = kTabs[static_cast<std::size_t>(clicked)].tool;
  toolPanel(panel, memory, magnitudes, explanations);
}

std::span<const ToolTab> toolTabs() { return kTabs; }

const char* toolTitle(Tool tool) { return tabOf(tool).title; }

std::optional<Tool> toolOfKey(char key) {
  for (const ToolTab& tab : kTabs) {
    if (tab.key == key) return tab.tool;
  }
  return std::nullopt;
}

}  // namespace headscope::ui
