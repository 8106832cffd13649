// Figure text: the letters of a frame's draw lists, found again in the font's texture, and drawn as
// lines of text with the typefaces themselves.
#pragma once

#include <cairo.h>
#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/fonts.h"

namespace headscope::host {

class FigureText {
 public:
  /// Both must outlive this object.
  FigureText(const ui::Fonts& fonts, const ImFontAtlas& atlas);
  ~FigureText();
  FigureText(const FigureText&) = delete;
  FigureText& operator=(const FigureText&) = delete;

  /// Returns whether the triangles' first vertex stands on a letter of the texture.
  bool isLetter(const ImDrawVert& vertex) const;
  /// Adds the letter of a rectangle, by three of its corners: the upper left, the upper right and
  /// the lower right one, as the letter is read. Draws the line before where it ends there.
  void add(cairo_t* cairo, const ImDrawVert& upperLeft, const ImDrawVert& upperRight,
           const ImDrawVert& lowerRight);
  /// Draws the line that has been gathered.
  void finish(cairo_t* cairo);

  /// The lines as SVG elements that are not seen, in units of 1/`scale` of a letter's place.
  std::string selectable(double scale) const;

 private:
  struct Faces;
  struct Letter {
    const ImFont* font = nullptr;
    const ImFontGlyph* glyph = nullptr;
  };
  struct Placed {
    char32_t point = 0;
    double x = 0.0, end = 0.0;
  };
  /// A line of letters of one font, size and colour. Places are those of the page turned back by
  /// the line's angle.
  struct Line {
    const ImFont* font = nullptr;
    ImU32 color = 0;
    double size = 0.0, baseline = 0.0, angle = 0.0;
    std::vector<Placed> letters;
  };
  struct Written {
    std::string text;
    double x, baseline, size, width, angle;
  };

  std::optional<Letter> letterAt(ImVec2 uv) const;

  std::unique_ptr<Faces> faces_;
  ImVec2 white_;
  std::map<std::pair<int, int>, Letter> letters_;  // by the corner in the texture, in pixels
  ImVec2 texture_;
  Line line_;
  std::vector<Written> written_;
};

}  // namespace headscope::host
