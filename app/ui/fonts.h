// Fonts: the typefaces embedded at build time, at the sizes the interface uses.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

/// A typeface installed on the machine: its file, and its index in the file.
struct FoundFont {
  std::shared_ptr<const std::string> file;
  int face = 0;
};

/// Letters that texts need beyond those in the initial fonts.
struct MoreLetters {
  const ImWchar* ranges = nullptr;  // in Dear ImGui's form; owned by the caller
  std::vector<FoundFont> from;      // typefaces that have them; those of the symbols come first
};

struct Fonts {
  ImFont* regular = nullptr;      // 14 points at scale 1
  ImFont* small = nullptr;        // 12
  ImFont* tiny = nullptr;         // 10: superscripts, subscripts, dense axis labels
  ImFont* semibold = nullptr;     // 15: panel titles
  ImFont* title = nullptr;        // 19: the program's name
  ImFont* large = nullptr;        // 22: sentences of the page Stage; Latin letters, as below
  ImFont* display = nullptr;      // 40: the words of the page Stage
  ImFont* displayBold = nullptr;  // 36: its headline, and the chosen word
  ImFont* mono = nullptr;         // 13: numbers, formulas
  ImFont* monoSmall = nullptr;    // 11.5
  std::vector<FoundFont> found;   // kept, as Dear ImGui may read their files later
};

/// The fonts for a room, which reads from afar: none is smaller than the title.
Fonts fontsForARoom(const Fonts& fonts);

/// Fills the atlas for an interface scale (1 … 3). Uses ImGui's font where no typeface is embedded.
Fonts loadFonts(ImFontAtlas& atlas, float scale, const MoreLetters& more = {});

enum class FontFace { regular, semibold, mono, symbols };

/// The OpenType or TrueType file; empty where the build did not find it.
std::string_view fontFile(FontFace face);

/// Returns whether a file has the tables needed to draw letters and none extends past its end: Dear
/// ImGui aborts on an invalid typeface. `face` is the index in a file of several.
bool isWholeFont(std::string_view file, int face = 0);

using FontFiles = std::string_view (*)(FontFace face);

/// Fills the atlas as loadFonts does. Replaces a missing or damaged typeface by another, finally by
/// ImGui's own.
Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files, const MoreLetters& more = {});

}  // namespace headscope::ui
