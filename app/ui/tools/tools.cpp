#include "app/ui/tools/tools.h"

#include "app/ui/flow/flow_panel.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

class FlowTool final : public Card {
 public:
  FlowTool()
      : Card({kFlowTool, tr("Dimension flow"),
              tr("heights show the dimensions · click a block to open its step"), 'D', false}) {}
  void draw(const PanelContext& panel) override {
    flowPanel(panel, memory_, ImGui::GetContentRegionAvail());
  }

 private:
  FlowMemory memory_;
};

class ToolsCard final : public Card {
 public:
  explicit ToolsCard(const Cards& tools)
      : Card({kToolsCard, tr("Tools"), tr("tools that take the step apart")}), tools_(tools) {}
  void draw(const PanelContext& panel) override {
    panel.frame.pointed.clear();
    const std::size_t open = tools_.placeOf(panel.selection.tool);
    const std::size_t chosen = tools_.tabs(panel, "tools", open);
    if (chosen != open) panel.selection.tool = tools_.at(chosen).text().id;
    tools_.at(chosen).draw(panel);
  }

 private:
  const Cards& tools_;
};

}  // namespace

Cards makeTools() {
  return Cards::of(std::make_unique<FlowTool>(), makeTermsTool(), makeWhyTool(), makeCodeTool(),
                   makeMaskTool(), makeTemperatureTool(), makeRotationTool(), makeChangesTool(),
                   makeMistakesTool(), makeKvCacheTool(), makePerHeadTool());
}

std::unique_ptr<Card> makeToolsCard(const Cards& tools) {
  return std::make_unique<ToolsCard>(tools);
}

}  // namespace headscope::ui
