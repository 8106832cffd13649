// Figure shapes: the triangles of a frame's draw lists as polygons, and its heatmaps and ribbons as
// cells and curves.
#pragma once

#include <cairo.h>
#include <imgui.h>

#include "app/gl/scene.h"
#include "app/host/figure_text.h"
#include "app/ui/color_maps.h"

namespace headscope::host {

/// Draws a command's triangles; those of letters go to `text`.
void drawTriangles(cairo_t* cairo, const ImDrawList& list, const ImDrawCmd& command,
                   FigureText& text);

/// Draws heatmaps or ribbons.
void drawScene(cairo_t* cairo, const gl::Scene& scene, const gl::Scene::Command& command,
               const ui::ColorMaps& maps);

}  // namespace headscope::host
