#include "app/host/figure.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/host/headless.h"
#include "app/host/image.h"
#include "app/host/offscreen.h"
#include "core/base/error.h"

#ifdef HEADSCOPE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <cstdint>
#include <memory>
#include <string>

#include "app/cairo_bytes.h"
#include "app/host/figure_shapes.h"
#include "app/host/figure_text.h"
#include "core/base/files.h"
#endif

namespace headscope::host {

bool isFigure(const std::filesystem::path& path) {
  return path.extension() == ".svg" || path.extension() == ".pdf";
}

#ifdef HEADSCOPE_CAIRO
namespace {

constexpr double kPointsPerCentimetre = 72.0 / 2.54;

/// Draws all commands of a frame, in their order.
void drawFrame(cairo_t* cairo, const ImDrawData& data, const gl::Scene& scene, FigureText& text) {
  const ui::ColorMaps maps = ui::ColorMaps::load();
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback == ImDrawCallback_ResetRenderState) continue;
      const ImVec4& clip = command.ClipRect;
      cairo_save(cairo);
      cairo_rectangle(cairo, clip.x, clip.y, clip.z - clip.x, clip.w - clip.y);
      cairo_clip(cairo);
      if (command.UserCallback != nullptr) {
        drawScene(cairo, scene, *static_cast<const gl::Scene::Command*>(command.UserCallbackData),
                  maps);
      } else {
        drawTriangles(cairo, list, command, text);
      }
      cairo_restore(cairo);
    }
  }
}

}  // namespace

void writeFigure(const PictureRequest& request, double centimetres) {
  const KeepsImGuiContext kept;
  App program(request.program);
  program.finish();
  if (!program.trace()) throw UserError(program.message());
  Headless headless(request.width, request.height);
  settleFrames(headless, program);
  // Lines as polygons, not as texture. Only now: the first frame applies the theme's whole style.
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  headless.frame(program);

  const double scale = centimetres * kPointsPerCentimetre / request.width;
  const double width = request.width * scale, height = request.height * scale;
  std::string file;
  const bool svg = request.path.extension() == ".svg";
  // before the surface, which refers to its typefaces when it is destroyed
  FigureText text(headless.session().fonts(), *ImGui::GetIO().Fonts);
  const std::unique_ptr<cairo_surface_t, CairoRelease> surface(
      svg ? cairo_svg_surface_create_for_stream(appendBytes, &file, width, height)
          : cairo_pdf_surface_create_for_stream(appendBytes, &file, width, height));
  const std::unique_ptr<cairo_t, CairoRelease> cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  drawFrame(cairo.get(), *ImGui::GetDrawData(), program.scene(), text);
  cairo_surface_finish(surface.get());
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS) {
    throw UserError(fmt::format("{}: {}", request.path.string(), cairo_status_to_string(status)));
  }
  // cairo writes letters of an SVG as outlines; lines of text that are not seen can be selected
  if (svg) file.insert(file.rfind("</svg>"), text.selectable(scale));
  writeAtomically(request.path, [&](std::ostream& out) { out << file; });
}
#else
void writeFigure(const PictureRequest& request, double /*centimetres*/) {
  throw UserError(fmt::format("{}: this build has no cairo, which draws figures; export a .png",
                              request.path.string()));
}
#endif

void writePicture(const PictureRequest& request, const std::filesystem::path& shaderDir) {
  if (isFigure(request.path)) return writeFigure(request);
  writePng(request.path, drawPicture(request, shaderDir));
}

}  // namespace headscope::host
