// Fonts: the typefaces embedded at build time, at the sizes the interface uses.
#pragma once

#include <imgui.h>

#include <string_view>

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

enum class FontFace { regular, semibold, mono, symbols };

/// The OpenType or TrueType file; empty where it was not found when the program was built.
std::string_view fontFile(FontFace face);

/// It has the tables that letters are drawn from, and none ends after the file: Dear ImGui aborts
/// on what is no typeface.
bool isWholeFont(std::string_view file);

using FontFiles = std::string_view (*)(FontFace face);

/// As loadFonts. For a typeface that is missing or damaged another one, in the end ImGui's own.
Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files);

}  // namespace headscope::ui
