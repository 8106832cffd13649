// Scene commands: how a panel puts heatmaps, ribbons and pictures between its other drawing. The
// batch goes into the scene; the draw list gets a callback that has the scene's renderer draw it in
// place.
#pragma once

#include <imgui.h>

#include "app/gl/scene.h"

namespace headscope::ui {

void addHeatmaps(ImDrawList* drawList, gl::Scene& scene, gl::HeatmapBatch batch);
void addRibbons(ImDrawList* drawList, gl::Scene& scene, gl::RibbonBatch batch);
void addPicture(ImDrawList* drawList, gl::Scene& scene, gl::PictureBatch batch);
/// The command that a draw list's callback draws; null: it is another one.
const gl::Scene::Command* sceneCommandOf(const ImDrawCmd& command);
/// A colour as ribbons have it.
gl::Rgba ribbonColor(ImU32 color, float alpha);

}  // namespace headscope::ui
