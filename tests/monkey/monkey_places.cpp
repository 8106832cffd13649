// The places that a monkey points at.
#include <imgui.h>
#include <imgui_internal.h>

#include <cfloat>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "monkey.h"
#include "tests/app/screen_text.h"

namespace headscope::monkey {
namespace {

bool isPopup(std::string_view window) {
  return window.starts_with("##Popup") || window.starts_with("##Combo") ||
         window.starts_with("##Menu") || window.find("dialog") != std::string_view::npos;
}

/// Returns whether a window shows how long something took: such times differ from run to run, but a
/// seed has to repeat itself.
bool isTimed(std::string_view window) {
  return window == "headscope" || window.find("effects") != std::string_view::npos;
}

ImVec2 within(Random& random, ImVec2 from, ImVec2 to) {
  return {from.x + (to.x - from.x) * random.fraction(),
          from.y + (to.y - from.y) * random.fraction()};
}

}  // namespace

/// The middle of a random text, or of a random number where `numbersOnly`.
std::optional<ImVec2> Monkey::anyWord(bool numbersOnly) {
  const ui::ScreenText screen = ui::ScreenText::read();
  std::vector<const ui::TextRun*> runs;
  const auto collect = [&](bool popups) {
    for (const ui::TextRun& run : screen.runs()) {
      if (popups ? !isPopup(run.window) : isTimed(run.window)) continue;
      if (numbersOnly && run.text.find_first_not_of("0123456789.e") != std::string::npos) continue;
      runs.push_back(&run);
    }
  };
  if (random_.below(4) != 0) collect(true);
  if (runs.empty()) collect(false);
  if (runs.empty()) return std::nullopt;
  const ui::TextRun& run = *random_.of(runs);
  return random_.of(run.glyphs).centre();
}

std::optional<ImVec2> Monkey::anyCell() {
  std::vector<gl::Bounds> maps;
  for (const auto& command : app_->scene().commands) {
    const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
    if (batch == nullptr) continue;
    for (const gl::HeatmapQuad& quad : batch->quads) maps.push_back(quad.rect);
  }
  if (maps.empty()) return std::nullopt;
  const gl::Bounds& map = random_.of(maps);
  return within(random_, {map.x0, map.y0}, {map.x1, map.y1});
}

ImVec2 Monkey::anyPlace() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const std::size_t kind = random_.below(20);
  if (kind < 9) {
    if (const auto word = anyWord(false)) return *word;
  } else if (kind < 14) {
    if (const auto cell = anyCell()) return *cell;
  } else if (kind < 17) {
    std::vector<const ImGuiWindow*> windows;
    for (const ImGuiWindow* w : GImGui->Windows) {
      if (w->Active && !w->Hidden) windows.push_back(w);
    }
    const ImGuiWindow& w = *random_.of(windows);
    return within(random_, w.Pos, {w.Pos.x + w.Size.x, w.Pos.y + w.Size.y});
  } else if (kind == 17) {
    return random_.oneIn(2) ? ImVec2{-FLT_MAX, -FLT_MAX} : ImVec2{-20, 1e6F};
  }
  return within(random_, {0, 0}, size);
}

}  // namespace headscope::monkey
