#include "app/host/figure_text.h"

#include <cairo-ft.h>
#include <fmt/format.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/utf8.h"

namespace headscope::host {
namespace {

struct ReleaseFace {
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
};

/// A typeface for FreeType and cairo.
class Face {
 public:
  Face(FT_Library library, std::string_view file, int index) {
    if (FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(file.data()),
                           static_cast<FT_Long>(file.size()), index, &face_) == 0) {
      cairo_.reset(cairo_ft_font_face_create_for_ft_face(face_, FT_LOAD_NO_HINTING));
    }
  }
  bool usable() const { return cairo_ != nullptr; }
  /// 0: the typeface has no such letter.
  unsigned glyph(char32_t point) const { return FT_Get_Char_Index(face_, point); }
  cairo_font_face_t* cairo() const { return cairo_.get(); }
  /// The size in cairo's sense, of the em, for a line height as Dear ImGui counts it.
  double emSize(double height) const {
    return height * face_->units_per_EM / std::max(1, face_->ascender - face_->descender);
  }

 private:
  FT_Face face_ = nullptr;  // the library owns it
  std::unique_ptr<cairo_font_face_t, ReleaseFace> cairo_;
};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    }
  }
  return result;
}

}  // namespace

struct FigureText::Faces {
  explicit Faces(const ui::Fonts& fonts) : fonts_(fonts) {
    FT_Init_FreeType(&library_);
    for (const ui::FontFace face : {ui::FontFace::regular, ui::FontFace::semibold,
                                    ui::FontFace::mono, ui::FontFace::symbols}) {
      faces_.emplace_back(library_, ui::fontFile(face), 0);
    }
    for (const ui::FoundFont& found : fonts.found) {
      faces_.emplace_back(library_, *found.file, found.face);
    }
  }
  ~Faces() {
    faces_.clear();  // cairo's share goes before FreeType's
    FT_Done_FreeType(library_);
  }
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  /// The typeface of a letter: the font's own, else the first that has it. Null: none.
  const Face* of(const ImFont* font, char32_t point) const {
    const Face& own = faces_[ownOf(font)];
    if (own.usable() && own.glyph(point) != 0) return &own;
    const auto other = std::ranges::find_if(
        faces_, [&](const Face& face) { return face.usable() && face.glyph(point) != 0; });
    return other == faces_.end() ? nullptr : &*other;
  }
  /// The line height decides the size, by the font's own typeface.
  double emSize(const ImFont* font, double height) const {
    const Face& own = faces_[ownOf(font)];
    return own.usable() ? own.emSize(height) : height;
  }

 private:
  std::size_t ownOf(const ImFont* font) const {
    if (font == fonts_.mono || font == fonts_.monoSmall) return 2;
    return font == fonts_.semibold || font == fonts_.title || font == fonts_.displayBold ? 1 : 0;
  }

  const ui::Fonts& fonts_;
  FT_Library library_ = nullptr;
  std::vector<Face> faces_;
};

FigureText::FigureText(const ui::Fonts& fonts, const ImFontAtlas& atlas)
    : faces_(std::make_unique<Faces>(fonts)),
      white_(atlas.TexUvWhitePixel),
      texture_(static_cast<float>(atlas.TexWidth), static_cast<float>(atlas.TexHeight)) {
  for (const ImFont* font : atlas.Fonts) {
    for (const ImFontGlyph& glyph : font->Glyphs) {
      if (!glyph.Visible) continue;
      letters_[{static_cast<int>(std::lround(glyph.U0 * texture_.x)),
                static_cast<int>(std::lround(glyph.V0 * texture_.y))}] = {font, &glyph};
    }
  }
}

FigureText::~FigureText() = default;

bool FigureText::isLetter(const ImDrawVert& vertex) const {
  return std::abs(vertex.uv.x - white_.x) > 1e-6F || std::abs(vertex.uv.y - white_.y) > 1e-6F;
}

std::optional<FigureText::Letter> FigureText::letterAt(ImVec2 uv) const {
  const auto found = letters_.find({static_cast<int>(std::lround(uv.x * texture_.x)),
                                    static_cast<int>(std::lround(uv.y * texture_.y))});
  if (found != letters_.end()) return found->second;
  // cut at the edge of its window
  for (const auto& [corner, letter] : letters_) {
    const ImFontGlyph& glyph = *letter.glyph;
    if (uv.x >= glyph.U0 && uv.x < glyph.U1 && uv.y >= glyph.V0 && uv.y < glyph.V1) return letter;
  }
  return std::nullopt;
}

void FigureText::add(cairo_t* cairo, const ImDrawVert& upperLeft, const ImDrawVert& upperRight,
                     const ImDrawVert& lowerRight) {
  const double angle =
      std::atan2(upperRight.pos.y - upperLeft.pos.y, upperRight.pos.x - upperLeft.pos.x);
  const auto turnedBack = [&](ImDrawVert vertex) {
    const double c = std::cos(angle), s = std::sin(angle);
    vertex.pos = {static_cast<float>(c * vertex.pos.x + s * vertex.pos.y),
                  static_cast<float>(c * vertex.pos.y - s * vertex.pos.x)};
    return vertex;
  };
  const ImDrawVert low = turnedBack(upperLeft), high = turnedBack(lowerRight);
  const auto letter = letterAt(low.uv);
  if (!letter) return;
  const ImFontGlyph& glyph = *letter->glyph;
  // by the texture, since a cut letter is smaller than its glyph
  const double scale = double{high.pos.y - low.pos.y} /
                       std::max(1e-6, double{high.uv.y - low.uv.y}) * double{glyph.V1 - glyph.V0} /
                       std::max(1e-6, double{glyph.Y1 - glyph.Y0});
  const double left =
      low.pos.x - scale * (glyph.X0 + double{low.uv.x - glyph.U0} / (glyph.U1 - glyph.U0) *
                                          (glyph.X1 - glyph.X0));
  const double top =
      low.pos.y - scale * (glyph.Y0 + double{low.uv.y - glyph.V0} / (glyph.V1 - glyph.V0) *
                                          (glyph.Y1 - glyph.Y0));
  const double size = scale * letter->font->FontSize;
  const double baseline = top + scale * letter->font->Ascent;
  const auto near = [](double a, double b, double within) { return std::abs(a - b) < within; };
  const bool continuesLine =
      !line_.letters.empty() && line_.font == letter->font && line_.color == low.col &&
      near(line_.angle, angle, 0.01) && near(line_.size, size, 0.01 * size) &&
      near(line_.baseline, baseline, 0.05 * size) && left > line_.letters.back().end - 0.3 * size &&
      left < line_.letters.back().end + 0.8 * size;
  if (!continuesLine) {
    finish(cairo);
    line_ = {letter->font, low.col, size, baseline, angle, {}};
  }
  const double end = left + scale * glyph.AdvanceX;
  if (continuesLine && left > line_.letters.back().end + 0.12 * size) {
    line_.letters.push_back({U' ', line_.letters.back().end, left});
  }
  line_.letters.push_back({static_cast<char32_t>(glyph.Codepoint), left, end});
}

void FigureText::finish(cairo_t* cairo) {
  if (line_.letters.empty()) return;
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(line_.color);
  cairo_set_source_rgba(cairo, color.x, color.y, color.z, color.w);
  cairo_save(cairo);
  cairo_rotate(cairo, line_.angle);
  std::string whole;
  // letters of one typeface at a time
  for (std::size_t from = 0; from < line_.letters.size();) {
    const Face* face = faces_->of(line_.font, line_.letters[from].point);
    std::vector<cairo_glyph_t> glyphs;
    std::vector<cairo_text_cluster_t> clusters;
    std::string text;
    std::size_t to = from;
    for (; to < line_.letters.size(); ++to) {
      const Placed& letter = line_.letters[to];
      if (faces_->of(line_.font, letter.point) != face) break;
      const std::string bytes = utf8Of(letter.point);
      text += bytes;
      if (face == nullptr) continue;
      glyphs.push_back({face->glyph(letter.point), letter.x, line_.baseline});
      clusters.push_back({static_cast<int>(bytes.size()), 1});
    }
    from = to;
    whole += text;
    if (face == nullptr) continue;
    cairo_set_font_face(cairo, face->cairo());
    cairo_set_font_size(cairo, faces_->emSize(line_.font, line_.size));
    cairo_show_text_glyphs(cairo, text.data(), static_cast<int>(text.size()), glyphs.data(),
                           static_cast<int>(glyphs.size()), clusters.data(),
                           static_cast<int>(clusters.size()), {});
  }
  cairo_restore(cairo);
  written_.push_back({std::move(whole), line_.letters.front().x, line_.baseline, line_.size,
                      line_.letters.back().end - line_.letters.front().x, line_.angle});
  line_.letters.clear();
}

std::string FigureText::selectable(double scale) const {
  std::string lines = "<g fill-opacity=\"0\" font-family=\"sans-serif\" xml:space=\"preserve\">\n";
  for (const Written& line : written_) {
    lines += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" textLength=\"{:.2f}\" "
        "lengthAdjust=\"spacingAndGlyphs\" transform=\"rotate({:.2f})\">{}</text>\n",
        scale * line.x, scale * line.baseline, scale * line.size, scale * line.width,
        line.angle * 180.0 / std::numbers::pi, escaped(line.text));
  }
  return lines + "</g>\n";
}

}  // namespace headscope::host
