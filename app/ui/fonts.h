// Fonts: the typefaces embedded at build time, at the sizes the interface uses.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

/// A typeface of the machine: its file, and which of the file's it is.
struct FoundFont {
  std::shared_ptr<const std::string> file;
  int face = 0;
};

/// What a text asks for beyond what the fonts begin with.
struct MoreLetters {
  const ImWchar* ranges = nullptr;  // as Dear ImGui takes them; held by who asks
  std::vector<FoundFont> from;      // typefaces that have them; the symbols' are looked into first
};

struct Fonts {
  ImFont* regular = nullptr;     // 14 points at scale 1
  ImFont* small = nullptr;       // 12
  ImFont* tiny = nullptr;        // 10: raised and lowered letters, dense axis labels
  ImFont* semibold = nullptr;    // 15: panel titles
  ImFont* title = nullptr;       // 19: the program's name
  ImFont* mono = nullptr;        // 13: numbers, formulas
  ImFont* monoSmall = nullptr;   // 11.5
  std::vector<FoundFont> found;  // Dear ImGui may read their files later
};

/// Fills the atlas for an interface scale (1 … 3). Without embedded typefaces: ImGui's own.
Fonts loadFonts(ImFontAtlas& atlas, float scale, const MoreLetters& more = {});

enum class FontFace { regular, semibold, mono, symbols };

/// The OpenType or TrueType file; empty where it was not found when the program was built.
std::string_view fontFile(FontFace face);

/// It has the tables that letters are drawn from, and none ends after the file: Dear ImGui aborts
/// on what is no typeface. `face` of a file that holds several.
bool isWholeFont(std::string_view file, int face = 0);

using FontFiles = std::string_view (*)(FontFace face);

/// As loadFonts. For a typeface that is missing or damaged another one, in the end ImGui's own.
Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files, const MoreLetters& more = {});

}  // namespace headscope::ui
