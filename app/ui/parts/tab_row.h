// Tab row: the heading of a card as tabs. Those that do not fit are behind a menu at its end.
//
//   const int clicked = tabRow(look, "pages", {{tr("Scatter"), {}}, {tr("Table"), {}}}, shown);
#pragma once

#include <string>
#include <vector>

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct Tab {
  const char* title;
  std::string about;  // its tooltip
};
/// Draws a card's heading as a row of tabs; those that do not fit are behind "more". `explanation`
/// follows where there is room; `kept` stays free at the right. Returns the index clicked, or −1.
int tabRow(const FrameContext& look, const char* id, const std::vector<Tab>& tabs, int chosen,
           const char* explanation = nullptr, float kept = 0.0F);

}  // namespace headscope::ui
