// Lesson window: opens lessons from the page Learn, and finds their texts on the screen.
#pragma once

#include <string>
#include <string_view>

#include "app_driver.h"

namespace headscope::ui {

/// The text as it is on the screen, without the signs that raise or lower letters.
inline std::string onScreen(std::string text) {
  std::erase_if(text,
                [](char c) { return std::string_view("^_{}\\").find(c) != std::string::npos; });
  return text;
}

inline void openLesson(AppDriver& ui, const std::string& title) {
  ui.view().selection.page = kLearnPage;
  ui.frame();
  const ScreenText screen = ui.screen();
  bool found = false;
  for (const TextRun& run : screen.runs()) {
    found = found || run.text.ends_with(withoutSpaces(title));
    if (!found || run.text != "Start") continue;
    ui.clickAt(run.spot(0, run.text.size()).centre());
    break;
  }
  ui.settle();
  ui.frame();
}

}  // namespace headscope::ui
