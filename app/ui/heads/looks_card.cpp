#include "app/ui/heads/looks_card.h"

#include <vector>

#include "app/ui/heads/looks_focus.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

const char* explanationOf(LooksTab tab) {
  switch (tab) {
    case LooksTab::lines:
      return "query to key, thickness = weight";
    case LooksTab::values:
      return "output = Σ weight × value";
    case LooksTab::lengths:
      break;
  }
  return "q·k = ‖q‖ ‖k‖ cos";
}

}  // namespace

void LooksMemory::setWake(const std::function<void()>& wake) {
  lines.choice.setWake(wake);
  values.plane.setWake(wake);
  lengths.table.setWake(wake);
}

bool LooksMemory::finish() {
  bool news = lines.choice.finish();
  news |= values.plane.finish();
  news |= lengths.table.finish();
  return news;
}

void looksCard(const Panel& panel, LooksMemory& memory, const Figures*, FiguresMemory&,
               Magnitudes&) {
  static const std::vector<Tab> kTabs{
      {"Where each head looks", "A line for each of the largest weights, from query to key"},
      {"Values", "The value vectors that are mixed, in the plane of their two main components"},
      {"q · k", "The product of a query and a key as lengths and angle"}};
  followSelection(panel.view, memory.selected);
  HeadsView& heads = panel.view.heads;
  const int clicked = tabRow(panel.look, "looks tabs", kTabs, static_cast<int>(heads.looksTab),
                             explanationOf(heads.looksTab));
  if (clicked >= 0) heads.looksTab = static_cast<LooksTab>(clicked);
  switch (heads.looksTab) {
    case LooksTab::lines:
      looksLines(panel, memory.lines);
      break;
    case LooksTab::values:
      looksValues(panel, memory.values);
      break;
    case LooksTab::lengths:
      looksLengths(panel, memory.lengths);
      break;
  }
}

}  // namespace headscope::ui
