#include "app/ui/tools/tools.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/ui/flow/flow_panel.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

class FlowTool final : public Card {
 public:
  FlowTool()
      : Card({kFlowTool, "Dimension flow",
              "heights follow the dimensions · click a block to open its step", 'D', false}) {}
  void draw(const Panel& panel, ImVec2 size) override { flowPanel(panel, memory_, size); }

 private:
  FlowMemory memory_;
};

}  // namespace

Cards makeTools(Magnitudes& magnitudes, Explanations& explanations) {
  std::vector<std::unique_ptr<Card>> tools;
  tools.push_back(std::make_unique<FlowTool>());
  tools.push_back(makeTermsTool(explanations));
  tools.push_back(makeMaskTool());
  tools.push_back(makeTemperatureTool());
  tools.push_back(makeChangesTool());
  tools.push_back(makeMistakesTool());
  tools.push_back(makeKvCacheTool(magnitudes));
  tools.push_back(makePerHeadTool(magnitudes));
  return Cards(std::move(tools));
}

void toolCard(const Panel& panel, const Cards& tools) {
  panel.view.pointed.clear();
  std::vector<Tab> tabs;
  int chosen = 0;
  const CardText& open = tools.open(panel.view.tool).text();
  for (const auto& tool : tools.all()) {
    const CardText& text = tool->text();
    if (text.id == open.id) chosen = static_cast<int>(tabs.size());
    tabs.push_back({text.title, fmt::format("{} ({})", text.about, text.key)});
  }
  const int clicked = tabRow(panel.look, "tools", tabs, chosen, open.about);
  if (clicked >= 0) panel.view.tool = tools.all()[static_cast<std::size_t>(clicked)]->text().id;
  tools.open(panel.view.tool).draw(panel, ImGui::GetContentRegionAvail());
}

}  // namespace headscope::ui
