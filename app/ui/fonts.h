// Fonts: the typefaces embedded at build time, at the sizes the interface uses.
#pragma once

#include <imgui.h>

namespace headscope::ui {

struct Fonts {
  ImFont* regular = nullptr;    // 14 points at scale 1
  ImFont* small = nullptr;      // 12
  ImFont* tiny = nullptr;       // 10: raised and lowered letters, dense axis labels
  ImFont* semibold = nullptr;   // 15: panel titles
  ImFont* title = nullptr;      // 19: the program's name
  ImFont* mono = nullptr;       // 13: numbers, formulas
  ImFont* monoSmall = nullptr;  // 11.5
};

/// Fills the atlas for an interface scale (1 … 3). Without embedded typefaces: ImGui's own.
Fonts loadFonts(ImFontAtlas& atlas, float scale);

}  // namespace headscope::ui
