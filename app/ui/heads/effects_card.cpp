#include "app/ui/heads/effects_card.h"

#include <array>
#include <cstddef>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// All a tab's panel is given.
struct TabContent {
  const Panel& panel;
  EffectsMemory& memory;
  const Figures* figures;
  FiguresMemory& measuring;
  Magnitudes& magnitudes;
};

struct EffectTabRow {
  EffectTab tab;
  const char* title;
  const char* about;        // its tooltip
  const char* explanation;  // beside the tabs while it is open
  void (*fill)(const TabContent& content);
  void (*switches)(const TabContent& content) = nullptr;  // at the end of the tabs' line
};

constexpr float kSwitchesWidth = 136.0F;

constexpr std::array kTabs{
    EffectTabRow{
        EffectTab::off, "Switch a head off", "What each token's output loses without it",
        "change of each token's output, in % of its norm, when one head is set to zero "
        "before the output matrix",
        [](const TabContent& c) { switchOffTab(c.panel, c.memory.off, c.figures, c.measuring); },
        [](const TabContent& c) { effectDrawing(c.panel); }},
    EffectTabRow{EffectTab::outputMatrix, "Output matrix",
                 "Each head's rows of it, and its share of every output",
                 "each head has its own rows of it, and adds its share to every token's output",
                 [](const TabContent& c) {
                   outputSharesTab(c.panel, c.memory.outputMatrix, c.figures, c.measuring,
                                   c.magnitudes);
                 }},
    EffectTabRow{EffectTab::moreHeads, "More heads",
                 "The same input and d_model with 1 to 64 heads",
                 "the same input and d_model with 1 to 64 heads: what differs, what it costs",
                 [](const TabContent& c) { moreHeadsTab(c.panel, c.memory.moreHeads); }},
    EffectTabRow{EffectTab::whySeveral, "Why several heads",
                 "One head asked to do what two do, beside the two",
                 "one head asked to do what two heads do, on the same sentence",
                 [](const TabContent& c) { whySeveralTab(c.panel, c.memory.whySeveral); }},
};

}  // namespace

void effectsCard(const Panel& panel, EffectsMemory& memory, const Figures* figures,
                 FiguresMemory& measuring, Magnitudes& magnitudes) {
  EffectTab& open = panel.view.heads.effectTab;
  std::vector<Tab> tabs;
  std::size_t chosen = 0;
  for (const EffectTabRow& row : kTabs) {
    if (row.tab == open) chosen = tabs.size();
    tabs.push_back({row.title, row.about});
  }
  const TabContent content{panel, memory, figures, measuring, magnitudes};
  const EffectTabRow& row = kTabs[chosen];
  const Look& look = panel.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float switches = row.switches == nullptr ? 0.0F : look.px(kSwitchesWidth);
  const float height = fontSize(look.fonts.semibold) + look.px(6);
  beginPart("tabs", {right - at.x - switches, height}, ImGuiWindowFlags_NoScrollbar);
  const int clicked = tabRow(look, "effects tabs", tabs, static_cast<int>(chosen), row.explanation);
  if (clicked >= 0) open = kTabs[static_cast<std::size_t>(clicked)].tab;
  ImGui::EndChild();
  if (row.switches != nullptr) {
    ImGui::SetCursorScreenPos({right - switches, at.y - look.px(4)});
    row.switches(content);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height + look.px(6)});
  row.fill(content);
}

}  // namespace headscope::ui
