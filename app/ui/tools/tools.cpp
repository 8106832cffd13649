#include "app/ui/tools/tools.h"

#include "app/ui/flow/flow_panel.h"

namespace headscope::ui {
namespace {

class FlowTool final : public Card {
 public:
  FlowTool()
      : Card({kFlowTool, "Dimension flow",
              "heights follow the dimensions · click a block to open its step", 'D', false}) {}
  void draw(const Panel& panel) override {
    flowPanel(panel, memory_, ImGui::GetContentRegionAvail());
  }

 private:
  FlowMemory memory_;
};

}  // namespace

Cards makeTools() {
  return Cards::of(std::make_unique<FlowTool>(), makeTermsTool(), makeMaskTool(),
                   makeTemperatureTool(), makeChangesTool(), makeMistakesTool(), makeKvCacheTool(),
                   makePerHeadTool());
}

void toolCard(const Panel& panel, const Cards& tools) {
  panel.view.pointed.clear();
  const std::size_t open = tools.placeOf(panel.view.tool);
  const std::size_t chosen = tools.tabs(panel, "tools", open);
  if (chosen != open) panel.view.tool = tools.at(chosen).text().id;
  tools.at(chosen).draw(panel);
}

}  // namespace headscope::ui
