#include "app/ui/scene_commands.h"

#include <utility>

#include "app/gl/scene_renderer.h"

namespace headscope::ui {
namespace {

void drawCommand(const ImDrawList*, const ImDrawCmd* drawCmd) {
  const auto& command = *static_cast<const gl::Scene::Command*>(drawCmd->UserCallbackData);
  gl::Scene& scene = *command.scene;
  if (scene.renderer == nullptr) return;
  const ImVec4& clip = drawCmd->ClipRect;
  scene.renderer->draw(scene, command, {clip.x, clip.y, clip.z, clip.w});
}

template <typename Batch>
void add(ImDrawList* drawList, gl::Scene& scene, Batch batch) {
  scene.commands.push_back({&scene, std::move(batch)});
  drawList->AddCallback(drawCommand, &scene.commands.back());
  drawList->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace

void addHeatmaps(ImDrawList* drawList, gl::Scene& scene, gl::HeatmapBatch batch) {
  if (!batch.quads.empty()) add(drawList, scene, std::move(batch));
}

void addRibbons(ImDrawList* drawList, gl::Scene& scene, gl::RibbonBatch batch) {
  if (!batch.ribbons.empty()) add(drawList, scene, std::move(batch));
}

void addPicture(ImDrawList* drawList, gl::Scene& scene, gl::PictureBatch batch) {
  if (!batch.quads.empty()) add(drawList, scene, std::move(batch));
}

const gl::Scene::Command* sceneCommandOf(const ImDrawCmd& command) {
  const bool ours = command.UserCallback == drawCommand;
  return ours ? static_cast<const gl::Scene::Command*>(command.UserCallbackData) : nullptr;
}

gl::Rgba ribbonColor(ImU32 color, float alpha) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  return {c.x, c.y, c.z, alpha};
}

}  // namespace headscope::ui
