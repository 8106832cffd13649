#include "app/host/figure_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::host {
namespace {

void setColor(cairo_t* cairo, ImU32 color) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  cairo_set_source_rgba(cairo, c.x, c.y, c.z, c.w);
}

void setColor(cairo_t* cairo, const gl::Rgba& color) {
  cairo_set_source_rgba(cairo, color.r, color.g, color.b, color.a);
}

/// The vertices of a command, with soft edges made sharp. Dear ImGui softens an edge by triangles
/// that run out to nothing over one point; the true edge is half way.
class Vertices {
 public:
  Vertices(const ImDrawList& list, const ImDrawCmd& command) : list_(list), command_(command) {
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      for (unsigned at = 0; at < 3; ++at) pair(index(i + at), index(i + (at + 1) % 3));
    }
  }

  const ImDrawVert& given(unsigned i) const { return list_.VtxBuffer[index(i)]; }
  ImDrawVert sharp(unsigned i) const {
    ImDrawVert vertex = given(i);
    const auto found = opaque_.find(index(i));
    if (found == opaque_.end()) return vertex;
    const ImDrawVert& full = list_.VtxBuffer[found->second];
    vertex.pos = {0.5F * (vertex.pos.x + full.pos.x), 0.5F * (vertex.pos.y + full.pos.y)};
    vertex.col = full.col;
    return vertex;
  }

 private:
  static constexpr float kFringe = 3.0F;  // points, at the sharpest corners

  int index(unsigned i) const {
    return static_cast<int>(command_.VtxOffset +
                            list_.IdxBuffer[static_cast<int>(command_.IdxOffset + i)]);
  }
  static float distance(const ImDrawVert& a, const ImDrawVert& b) {
    return std::hypot(a.pos.x - b.pos.x, a.pos.y - b.pos.y);
  }
  /// Notes the nearest opaque vertex of the same colour for one that is not seen.
  void pair(int a, int b) {
    const ImDrawVert *one = &list_.VtxBuffer[a], *two = &list_.VtxBuffer[b];
    if ((one->col & IM_COL32_A_MASK) != 0) {
      std::swap(one, two);
      std::swap(a, b);
    }
    const bool edge = (one->col & IM_COL32_A_MASK) == 0 && (two->col & IM_COL32_A_MASK) != 0 &&
                      (one->col & ~IM_COL32_A_MASK) == (two->col & ~IM_COL32_A_MASK);
    if (!edge || distance(*one, *two) > kFringe) return;
    const auto [found, isNew] = opaque_.try_emplace(a, b);
    if (!isNew && distance(*one, *two) < distance(*one, list_.VtxBuffer[found->second])) {
      found->second = b;
    }
  }

  const ImDrawList& list_;
  const ImDrawCmd& command_;
  std::unordered_map<int, int> opaque_;
};

/// Triangles of one colour, filled together so that no seams are seen between them.
class Polygons {
 public:
  explicit Polygons(cairo_t* cairo) : cairo_(cairo) {
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
  }

  void add(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
    if (a.col != b.col || a.col != c.col) {
      fill();
      return shaded(a, b, c);
    }
    if (a.col != color_) fill();
    color_ = a.col;
    // one direction for all, so that overlaps do not cancel
    const float turn =
        (b.pos.x - a.pos.x) * (c.pos.y - a.pos.y) - (c.pos.x - a.pos.x) * (b.pos.y - a.pos.y);
    if (turn == 0.0F) return;
    const ImVec2 second = turn > 0.0F ? b.pos : c.pos, third = turn > 0.0F ? c.pos : b.pos;
    cairo_move_to(cairo_, a.pos.x, a.pos.y);
    cairo_line_to(cairo_, second.x, second.y);
    cairo_line_to(cairo_, third.x, third.y);
    cairo_close_path(cairo_);
    open_ = true;
  }
  void fill() {
    if (!open_) return;
    setColor(cairo_, color_);
    cairo_fill(cairo_);
    open_ = false;
  }

 private:
  void shaded(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
    cairo_pattern_t* mesh = cairo_pattern_create_mesh();
    cairo_mesh_pattern_begin_patch(mesh);
    cairo_mesh_pattern_move_to(mesh, a.pos.x, a.pos.y);
    cairo_mesh_pattern_line_to(mesh, b.pos.x, b.pos.y);
    cairo_mesh_pattern_line_to(mesh, c.pos.x, c.pos.y);
    const std::array<ImU32, 3> colors{a.col, b.col, c.col};
    for (unsigned corner = 0; corner < 3; ++corner) {
      const ImVec4 color = ImGui::ColorConvertU32ToFloat4(colors[corner]);
      cairo_mesh_pattern_set_corner_color_rgba(mesh, corner, color.x, color.y, color.z, color.w);
    }
    cairo_mesh_pattern_end_patch(mesh);
    cairo_set_source(cairo_, mesh);
    cairo_paint(cairo_);
    cairo_pattern_destroy(mesh);
  }

  cairo_t* cairo_;
  ImU32 color_ = 0;
  bool open_ = false;
};

/// One rectangle of a heatmap, cell by cell, or as pixels where there are very many cells.
class Heatmap {
 public:
  Heatmap(cairo_t* cairo, const gl::Scene& scene, const gl::HeatmapQuad& quad,
          const gl::HeatmapSource& source, const ui::ColorMap& map)
      : cairo_(cairo),
        scene_(scene),
        quad_(quad),
        map_(map),
        values_(static_cast<std::size_t>(source.rows) * static_cast<std::size_t>(source.cols)),
        cols_(source.cols) {
    source.fill(values_.data());
    const bool part = quad.row1 > 0.0F;
    row0_ = part ? quad.row0 : 0.0F;
    row1_ = part ? quad.row1 : static_cast<float>(source.rows);
    col0_ = part ? quad.col0 : 0.0F;
    col1_ = part ? quad.col1 : static_cast<float>(source.cols);
    cellWidth_ = (quad.rect.x1 - quad.rect.x0) / (col1_ - col0_);
    cellHeight_ = (quad.rect.y1 - quad.rect.y0) / (row1_ - row0_);
  }

  void draw() {
    constexpr float kMostCells = 20'000.0F;
    cairo_save(cairo_);
    cairo_rectangle(cairo_, quad_.rect.x0, quad_.rect.y0, quad_.rect.x1 - quad_.rect.x0,
                    quad_.rect.y1 - quad_.rect.y0);
    cairo_clip(cairo_);
    (row1_ - row0_) * (col1_ - col0_) <= kMostCells ? cells() : pixels();
    cairo_restore(cairo_);
  }

 private:
  int lastRow() const { return static_cast<int>(std::ceil(row1_)) - 1; }
  int lastCol() const { return static_cast<int>(std::ceil(col1_)) - 1; }
  float value(int row, int col) const {
    return values_[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) +
                   static_cast<std::size_t>(col)];
  }
  static bool masked(float value) { return value < 0.5F * gl::kMaskedCell; }

  gl::Rgba color(float value, int row, int col) const {
    const float range = quad_.high - quad_.low;
    const float t = range != 0.0F ? (value - quad_.low) / range : 0.0F;
    const ImVec4 c =
        masked(value) ? ImVec4(scene_.maskedFill.r, scene_.maskedFill.g, scene_.maskedFill.b, 1.0F)
                      : ImGui::ColorConvertU32ToFloat4(map_.at(t));
    gl::Rgba result{c.x, c.y, c.z, quad_.opacity};
    const bool someLit = quad_.highlightRow >= 0 || quad_.highlightCol >= 0;
    if (someLit && row != quad_.highlightRow && col != quad_.highlightCol) {
      constexpr float kDimmed = 0.45F;  // as the shader
      result.r += kDimmed * (scene_.gapColor.r - result.r);
      result.g += kDimmed * (scene_.gapColor.g - result.g);
      result.b += kDimmed * (scene_.gapColor.b - result.b);
    }
    return result;
  }

  void cells() {
    const float gap = std::min(cellWidth_, cellHeight_) >= 4.0F * quad_.gap ? quad_.gap : 0.0F;
    for (int row = static_cast<int>(row0_); row <= lastRow(); ++row) {
      for (int col = static_cast<int>(col0_); col <= lastCol(); ++col) {
        const float x = quad_.rect.x0 + (static_cast<float>(col) - col0_) * cellWidth_;
        const float y = quad_.rect.y0 + (static_cast<float>(row) - row0_) * cellHeight_;
        cairo_rectangle(cairo_, x + 0.5F * gap, y + 0.5F * gap, cellWidth_ - gap,
                        cellHeight_ - gap);
        setColor(cairo_, color(value(row, col), row, col));
        cairo_fill(cairo_);
        if (masked(value(row, col))) hatch(x, y);
      }
    }
  }

  /// The part of the hatching that lies in a cell; its lines run on from cell to cell.
  void hatch(float x, float y) {
    constexpr double kPeriod = 6.0;  // points, as the shader
    cairo_save(cairo_);
    cairo_rectangle(cairo_, x, y, cellWidth_, cellHeight_);
    cairo_clip(cairo_);
    cairo_set_line_width(cairo_, 1.0);
    setColor(cairo_, scene_.hatch);
    const double first = std::ceil((x + y) / kPeriod) * kPeriod;
    for (double sum = first; sum < x + y + cellWidth_ + cellHeight_; sum += kPeriod) {
      cairo_move_to(cairo_, sum - y, y);
      cairo_line_to(cairo_, sum - y - cellHeight_, y + cellHeight_);
    }
    cairo_stroke(cairo_);
    cairo_restore(cairo_);
  }

  /// A pixel for each cell.
  void pixels() {
    const int rows = lastRow() - static_cast<int>(row0_) + 1;
    const int cols = lastCol() - static_cast<int>(col0_) + 1;
    cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, cols, rows);
    cairo_surface_flush(image);
    unsigned char* bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    const auto byte = [](float part) {
      return static_cast<std::uint32_t>(std::lround(255.0F * std::clamp(part, 0.0F, 1.0F)));
    };
    for (int row = 0; row < rows; ++row) {
      auto* line =
          reinterpret_cast<std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(row) * stride);
      for (int col = 0; col < cols; ++col) {
        const int r = row + static_cast<int>(row0_), c = col + static_cast<int>(col0_);
        const gl::Rgba rgb = color(value(r, c), r, c);
        line[col] = 0xFF000000U | byte(rgb.r) << 16U | byte(rgb.g) << 8U | byte(rgb.b);
      }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cairo_);
    cairo_translate(cairo_, quad_.rect.x0 - (col0_ - std::floor(col0_)) * cellWidth_,
                    quad_.rect.y0 - (row0_ - std::floor(row0_)) * cellHeight_);
    cairo_scale(cairo_, cellWidth_, cellHeight_);
    cairo_set_source_surface(cairo_, image, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
    cairo_paint_with_alpha(cairo_, quad_.opacity);
    cairo_restore(cairo_);
    cairo_surface_destroy(image);
  }

  cairo_t* cairo_;
  const gl::Scene& scene_;
  const gl::HeatmapQuad& quad_;
  const ui::ColorMap& map_;
  std::vector<float> values_;
  int cols_;
  float row0_, row1_, col0_, col1_;
  float cellWidth_, cellHeight_;
};

void drawRibbon(cairo_t* cairo, const gl::Ribbon& ribbon) {
  const double third = (ribbon.x1 - ribbon.x0) / 3.0;
  cairo_move_to(cairo, ribbon.x0, ribbon.top0);
  // t² (3 − 2 t) over a straight x
  cairo_curve_to(cairo, ribbon.x0 + third, ribbon.top0, ribbon.x1 - third, ribbon.top1, ribbon.x1,
                 ribbon.top1);
  cairo_line_to(cairo, ribbon.x1, ribbon.bottom1);
  cairo_curve_to(cairo, ribbon.x1 - third, ribbon.bottom1, ribbon.x0 + third, ribbon.bottom0,
                 ribbon.x0, ribbon.bottom0);
  cairo_close_path(cairo);
  cairo_pattern_t* colors = cairo_pattern_create_linear(ribbon.x0, 0.0, ribbon.x1, 0.0);
  cairo_pattern_add_color_stop_rgba(colors, 0.0, ribbon.from.r, ribbon.from.g, ribbon.from.b,
                                    ribbon.from.a);
  cairo_pattern_add_color_stop_rgba(colors, 1.0, ribbon.to.r, ribbon.to.g, ribbon.to.b,
                                    ribbon.to.a);
  cairo_set_source(cairo, colors);
  cairo_fill(cairo);
  cairo_pattern_destroy(colors);
}

/// Draws the parts of a picture that are shown, its pixels blended as the renderer blends them.
void drawPicture(cairo_t* cairo, const gl::PictureBatch& batch) {
  const gl::PictureSource& source = batch.source;
  cairo_surface_t* image =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, source.width, source.height);
  cairo_surface_flush(image);
  unsigned char* bytes = cairo_image_surface_get_data(image);
  const int stride = cairo_image_surface_get_stride(image);
  const std::uint8_t* rgb = source.rgb.get();
  for (int row = 0; row < source.height; ++row) {
    auto* line =
        reinterpret_cast<std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(row) * stride);
    for (int col = 0; col < source.width; ++col, rgb += 3) {
      line[col] = std::uint32_t{rgb[0]} << 16U | std::uint32_t{rgb[1]} << 8U | rgb[2];
    }
  }
  cairo_surface_mark_dirty(image);
  for (const gl::PictureQuad& quad : batch.quads) {
    const gl::Bounds &rect = quad.rect, &part = quad.part;
    const double x = double{part.x0} * source.width, y = double{part.y0} * source.height;
    const double width = double{part.x1 - part.x0} * source.width;
    const double height = double{part.y1 - part.y0} * source.height;
    if (!(width > 0.0 && height > 0.0)) continue;
    cairo_save(cairo);
    cairo_rectangle(cairo, rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0);
    cairo_clip(cairo);
    cairo_translate(cairo, rect.x0, rect.y0);
    cairo_scale(cairo, (rect.x1 - rect.x0) / width, (rect.y1 - rect.y0) / height);
    cairo_set_source_surface(cairo, image, -x, -y);
    cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
    cairo_paint_with_alpha(cairo, quad.opacity);
    cairo_restore(cairo);
  }
  cairo_surface_destroy(image);
}

}  // namespace

void drawTriangles(cairo_t* cairo, const ImDrawList& list, const ImDrawCmd& command,
                   FigureText& text) {
  Polygons shapes(cairo);
  const Vertices vertices(list, command);
  for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
    if (!text.isLetter(vertices.given(i))) {
      text.finish(cairo);
      shapes.add(vertices.sharp(i), vertices.sharp(i + 1), vertices.sharp(i + 2));
      continue;
    }
    shapes.fill();
    text.add(cairo, vertices.given(i), vertices.given(i + 1), vertices.given(i + 2));
    i += 3;  // the rectangle's other triangle
  }
  shapes.fill();
  text.finish(cairo);
}

void drawScene(cairo_t* cairo, const gl::Scene& scene, const gl::Scene::Command& command,
               const ui::ColorMaps& maps) {
  if (const auto* heatmaps = std::get_if<gl::HeatmapBatch>(&command.batch)) {
    for (const gl::HeatmapQuad& quad : heatmaps->quads) {
      Heatmap(cairo, scene, quad, heatmaps->sources[quad.source], maps[quad.colorMap]).draw();
    }
  } else if (const auto* ribbons = std::get_if<gl::RibbonBatch>(&command.batch)) {
    for (const gl::Ribbon& ribbon : ribbons->ribbons) drawRibbon(cairo, ribbon);
  } else {
    drawPicture(cairo, std::get<gl::PictureBatch>(command.batch));
  }
}

}  // namespace headscope::host
