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
  float turned = 0.0F;   // by so many degrees, clockwise

  ImVec2 centre() const { return {(min.x + max.x) * 0.5F, (min.y + max.y) * 0.5F}; }
};

/// A text drawn in one go, without its spaces, which are not drawn.
struct TextRun {
  std::string window;  // Dear ImGui's name of it
  std::string text;    // UTF-8
  std::vector<Spot> glyphs;
  std::vector<std::size_t> glyphAt;  // per byte of `text`

  Spot spot(std::size_t from, std::size_t bytes) const;
};

class ScreenText {
 public:
  /// Reads the text of the last rendered frame.
  static ScreenText read();
  /// Reads the text of one draw list.
  static ScreenText read(const ImDrawList& list);

  /// Returns whether `text` is on the screen, apart from spaces and line breaks. `window` is a part
  /// of the name of the windows that are searched.
  bool shows(std::string_view text, std::string_view window = {}) const;
  /// The place of the last run that equals `text`, else of the last one that contains it.
  std::optional<Spot> find(std::string_view text, std::string_view window = {}) const;
  /// The place of the run that was drawn after the one that equals `text`.
  std::optional<Spot> findAfter(std::string_view text, std::string_view window = {}) const;
  std::string all(std::string_view window = {}) const;
  const std::vector<TextRun>& runs() const& { return runs_; }
  /// The letters that the edge of their window or of a part of it cuts or hides, in drawing order.
  const std::vector<TextRun>& cut() const& { return cut_; }

 private:
  std::vector<TextRun> cut_;
  std::vector<TextRun> runs_;  // in drawing order
};

inline std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace headscope::ui
