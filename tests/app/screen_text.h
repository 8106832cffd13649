// Screen text: what a frame shows, read back from its draw lists glyph by glyph, as a person reads
// it: every piece of text with its place, colour and window.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

struct Spot {
  ImVec2 min, max;
  ImU32 color = 0;
  const ImFont* font = nullptr;
  float stretch = 1.0F;  // its height, of what it is in the font

  ImVec2 centre() const { return {(min.x + max.x) * 0.5F, (min.y + max.y) * 0.5F}; }
};

/// Text drawn in one go; spaces are not drawn, so they are left out.
struct TextRun {
  std::string window;  // Dear ImGui's name of it
  std::string text;    // UTF-8
  std::vector<Spot> glyphs;
  std::vector<std::size_t> glyphAt;  // per byte of `text`

  Spot spot(std::size_t from, std::size_t bytes) const;
};

class ScreenText {
 public:
  /// Of the frame rendered last.
  static ScreenText read();
  /// Of one draw list.
  static ScreenText read(const ImDrawList& list);

  /// Whether `text` stands there, spaces aside, perhaps over several lines. `window`: a part of the
  /// name of the windows looked at.
  bool shows(std::string_view text, std::string_view window = {}) const;
  /// Where: the last run that is `text`, else the last that has it in it.
  std::optional<Spot> find(std::string_view text, std::string_view window = {}) const;
  /// The run that was drawn after the one that is `text`.
  std::optional<Spot> findAfter(std::string_view text, std::string_view window = {}) const;
  std::string all(std::string_view window = {}) const;
  const std::vector<TextRun>& runs() const& { return runs_; }

 private:
  std::vector<TextRun> runs_;  // in drawing order
};

inline std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace headscope::ui
