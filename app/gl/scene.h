// Scene: what the shaders draw in one frame, as plain data: heatmaps, ribbons and pictures.
// Building it needs no GL, so panels do so in tests too; `SceneRenderer` draws it.
//
// Coordinates are the interface's (points, y down), as ImGui's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace headscope::gl {

/// The edges of a rectangle, in points.
struct Bounds {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
struct Rgba {
  float r = 0, g = 0, b = 0, a = 1;
};

/// A cell with this value is masked: drawn hatched. Below every value a heatmap can show.
inline constexpr float kMaskedCell = -3.0e38F;

/// One matrix of values at the resolution shown. `key` names the place, `revision` the contents:
/// `fill` (rows × cols floats, row-major) is called only where the texture does not hold them yet.
struct HeatmapSource {
  std::uint64_t key = 0;
  std::uint64_t revision = 0;
  int rows = 0;
  int cols = 0;
  std::function<void(float* out)> fill;
};

/// One rectangle showing (a part of) a source.
struct HeatmapQuad {
  Bounds rect;
  std::size_t source = 0;    // in HeatmapBatch::sources
  float low = 0, high = 1;   // values at the two ends of the colour map
  int colorMap = 0;          // row of the colour map texture
  float gap = 0;             // points between cells; drawn only where cells are > 4 × gap
  float opacity = 1;         // 0 … 1, towards the background behind it
  float row0 = 0, row1 = 0;  // part of the source shown, in its cells; row1 = 0: all rows
  float col0 = 0, col1 = 0;
  int highlightRow = -1;  // lit row and column: all others are dimmed a little
  int highlightCol = -1;
};

struct HeatmapBatch {
  std::vector<HeatmapSource> sources;
  std::vector<HeatmapQuad> quads;
};

/// A band from a vertical edge on the left to one on the right, eased like a Sankey diagram's.
struct Ribbon {
  float x0 = 0, top0 = 0, bottom0 = 0;
  float x1 = 0, top1 = 0, bottom1 = 0;
  Rgba from, to;
};

struct RibbonBatch {
  std::vector<Ribbon> ribbons;
};

/// A picture. `key` names the place, `revision` the contents.
struct PictureSource {
  std::uint64_t key = 0;
  std::uint64_t revision = 0;
  int width = 0;
  int height = 0;
  std::shared_ptr<const std::uint8_t> rgb;  // row by row from the top
};

/// One rectangle showing (a part of) a picture.
struct PictureQuad {
  Bounds rect;
  Bounds part{0, 0, 1, 1};  // of the picture, 0 … 1
  float opacity = 1;
};

struct PictureBatch {
  PictureSource source;
  std::vector<PictureQuad> quads;
};

class SceneRenderer;

/// Everything of one frame. Addresses stay valid until `clear` (draw callbacks point here).
struct Scene {
  struct Command {
    Scene* scene = nullptr;
    std::variant<HeatmapBatch, RibbonBatch, PictureBatch> batch;
  };
  std::deque<Command> commands;
  SceneRenderer* renderer = nullptr;          // set by the host; null: nothing is drawn
  float displayWidth = 0, displayHeight = 0;  // points
  float pixelsPerPoint = 1;
  Rgba hatch{0.6F, 0.6F, 0.6F, 1};  // lines of masked cells
  Rgba maskedFill{0.95F, 0.95F, 0.95F, 1};
  Rgba gapColor{1, 1, 1, 1};  // between cells

  void clear() { commands.clear(); }
};

}  // namespace headscope::gl
