// Lesson window: opens lessons from the page Learn, and finds their texts on the screen.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "app_driver.h"

namespace headscope::ui {

/// The text as it is on the screen, without the signs that raise or lower letters.
inline std::string onScreen(std::string text) {
  std::erase_if(text,
                [](char c) { return std::string_view("^_{}\\").find(c) != std::string::npos; });
  return text;
}

/// The place of the button that starts a lesson; none while its card is not wholly in sight.
inline std::optional<Spot> startOf(const ScreenText& screen, const std::string& title) {
  std::optional<Spot> named;
  for (const TextRun& run : screen.runs()) {
    if (run.text.ends_with(withoutSpaces(title))) named = run.spot(0, run.text.size());
    if (!named || run.text != "Start") continue;
    const Spot start = run.spot(0, run.text.size());
    const float below = start.min.y - named->min.y;
    const float card = 9.0F * (named->max.y - named->min.y);  // its height, from the title on
    if (below > 0.0F && below < card && start.min.x < named->max.x) return start;
  }
  return std::nullopt;
}

/// A window for many lessons. The weights that the tab More heads would learn for other numbers of
/// heads are drawn: tests of lessons ask nothing of them, and take a third of the time.
inline AppDriver lessonDriver(int width = 1600, int height = 1000) {
  const std::string preset = "original-transformer";
  const DocumentPtr learned =
      makePreset(presetByName(preset), {WeightInit::learned, 1, {}}, kTestBudget);
  return AppDriver(presetDocument(preset), width, height, {}, drawnLayers(*learned));
}

/// Starts a lesson from the list, which is scrolled as far as is needed.
inline void openLesson(AppDriver& ui, const std::string& title) {
  ui.view().selection.page = kLearnPage;
  ui.frame();
  ui.hover({ui.io().DisplaySize.x * 0.5F, ui.io().DisplaySize.y * 0.5F});
  for (int i = 0; i < 30 && !startOf(ui.screen(), title); ++i) {
    ui.host().wheel(-1.0F);
    ui.frame();
    ui.frame();
  }
  const auto start = startOf(ui.screen(), title);
  EXPECT_TRUE(start) << title << " is not in the list: " << ui.screen().all("lessons");
  if (start) ui.clickAt(start->centre());
  ui.settle();
  ui.frame();
}

/// A pattern of a text as it is on the screen without spaces, with any number in place of each
/// fact.
inline std::string patternOf(const std::string& text) {
  std::string pattern;
  bool raised = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool wasRaised = std::exchange(raised, c == '^' || c == '_');
    if (raised || c == ' ' || c == '}' || (c == '{' && wasRaised)) continue;
    if (c == '{') {
      pattern += "[0-9,.]+";
      i = text.find('}', i);
      continue;
    }
    const char shown = c == '\\' ? text[++i] : c;
    if (std::ispunct(static_cast<unsigned char>(shown)) != 0) pattern += '\\';
    pattern += shown;
  }
  return pattern;
}

/// The place of a choice on the screen, with its digit; it may have several lines.
inline std::optional<Spot> spotOf(const ScreenText& screen, const std::string& choice) {
  const std::regex whole("[1-4]" + patternOf(choice));
  const auto& runs = screen.runs();
  for (std::size_t first = 0; first < runs.size(); ++first) {
    if (runs[first].window.find("/act") == std::string::npos) continue;
    std::string lines;
    for (std::size_t r = first; r < std::min(runs.size(), first + 5); ++r) {
      lines += withoutSpaces(runs[r].text);
      if (std::regex_match(lines, whole)) return runs[first].spot(0, runs[first].text.size());
    }
  }
  return std::nullopt;
}

/// Clicks a choice. Returns whether it is on the screen.
inline bool choose(AppDriver& ui, const std::string& choice) {
  const auto at = spotOf(ui.screen(), choice);
  if (at) ui.clickAt(at->centre());
  return at.has_value();
}

}  // namespace headscope::ui
