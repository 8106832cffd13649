// Tools: the cards of the window's upper part: the dimension flow, and tools that analyse a step or
// answer "what if". The step view below follows each of them. A new tool is a file with its Card
// and a line in makeTools().
#pragma once

#include <memory>

#include "app/ui/card.h"

namespace headscope::ui {

std::unique_ptr<Card> makeTermsTool();
std::unique_ptr<Card> makeWhyTool();
std::unique_ptr<Card> makeCodeTool();
std::unique_ptr<Card> makeMaskTool();
std::unique_ptr<Card> makeTemperatureTool();
std::unique_ptr<Card> makeRotationTool();
std::unique_ptr<Card> makeChangesTool();
std::unique_ptr<Card> makeMistakesTool();
std::unique_ptr<Card> makeKvCacheTool();
std::unique_ptr<Card> makePerHeadTool();

/// Returns all tools, in the order of their tabs.
Cards makeTools();
/// Returns a card with the tabs of the tools and the open tool below them.
std::unique_ptr<Card> makeToolsCard(const Cards& tools);

}  // namespace headscope::ui
