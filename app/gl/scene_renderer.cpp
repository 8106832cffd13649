#include "app/gl/scene_renderer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace headscope::gl {
namespace {

// Each kind of instance is four vec4, in attributes 0 to 3 (see the vertex shaders).
constexpr int kInstanceVectors = 4;
constexpr int kInstanceFloats = 4 * kInstanceVectors;
constexpr int kQuadVertices = 4;
constexpr int kRibbonSegments = 32;
constexpr int kRibbonVertices = 2 * (kRibbonSegments + 1);

void describeInstances(const VertexArray& array, const Buffer& instances) {
  glBindVertexArray(array.id());
  glBindBuffer(GL_ARRAY_BUFFER, instances.id());
  for (GLuint i = 0; i < kInstanceVectors; ++i) {
    const auto offset = static_cast<std::uintptr_t>(i) * 4 * sizeof(float);
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, kInstanceFloats * sizeof(float),
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(i, 1);
  }
}

void appendQuad(std::vector<float>& out, const HeatmapQuad& quad, const HeatmapSource& source,
                int layer) {
  const float row1 = quad.row1 > 0 ? quad.row1 : static_cast<float>(source.rows);
  const float col1 = quad.col1 > 0 ? quad.col1 : static_cast<float>(source.cols);
  const float values[kInstanceFloats] = {quad.rect.x0,
                                         quad.rect.y0,
                                         quad.rect.x1,
                                         quad.rect.y1,
                                         quad.col0,
                                         quad.row0,
                                         col1,
                                         row1,
                                         quad.low,
                                         quad.high,
                                         static_cast<float>(quad.colorMap),
                                         static_cast<float>(layer),
                                         quad.gap,
                                         quad.opacity,
                                         static_cast<float>(quad.highlightRow),
                                         static_cast<float>(quad.highlightCol)};
  out.insert(out.end(), std::begin(values), std::end(values));
}

void appendRibbon(std::vector<float>& out, const Ribbon& r) {
  const float values[kInstanceFloats] = {r.x0,   r.top0, r.bottom0, r.x1,     r.top1,   r.bottom1,
                                         0,      0,      r.from.r,  r.from.g, r.from.b, r.from.a,
                                         r.to.r, r.to.g, r.to.b,    r.to.a};
  out.insert(out.end(), std::begin(values), std::end(values));
}

void appendPart(std::vector<float>& out, const PictureQuad& quad) {
  const float values[kInstanceFloats] = {quad.rect.x0, quad.rect.y0, quad.rect.x1,
                                         quad.rect.y1, quad.part.x0, quad.part.y0,
                                         quad.part.x1, quad.part.y1, quad.opacity};
  out.insert(out.end(), std::begin(values), std::end(values));
}

void setColor(const Program& program, const char* uniform, const Rgba& color) {
  program.set(uniform, color.r, color.g, color.b, color.a);
}

/// False where nothing of the clip rectangle is on the display.
bool setScissor(const Scene& scene, Bounds clip) {
  const float scale = scene.pixelsPerPoint;
  const auto pixel = [scale](float points, float limit) {
    return static_cast<GLint>(std::lround(std::clamp(points, 0.0F, limit) * scale));
  };
  const GLint x0 = pixel(clip.x0, scene.displayWidth);
  const GLint x1 = pixel(clip.x1, scene.displayWidth);
  const GLint y0 = pixel(clip.y0, scene.displayHeight);
  const GLint y1 = pixel(clip.y1, scene.displayHeight);
  if (x1 <= x0 || y1 <= y0) return false;
  glEnable(GL_SCISSOR_TEST);
  glScissor(x0, pixel(scene.displayHeight, scene.displayHeight) - y1, x1 - x0, y1 - y0);
  return true;
}

}  // namespace

SceneRenderer::SceneRenderer(std::span<const std::uint8_t> colorMaps, const ShaderSource& shaders,
                             double patience)
    : heatmapProgram_("heatmap", shaders),
      ribbonProgram_("ribbon", shaders),
      pictureProgram_("picture", shaders),
      textures_(patience) {
  describeInstances(heatmapArray_, instances_);
  describeInstances(ribbonArray_, instances_);
  glBindVertexArray(0);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, colorMaps_.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kColorMapWidth,
               static_cast<GLsizei>(colorMaps.size() / (4 * kColorMapWidth)), 0, GL_RGBA,
               GL_UNSIGNED_BYTE, colorMaps.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void SceneRenderer::beginFrame() {
  textures_.beginFrame();
  pictures_.beginFrame();
  drawCalls_ = 0;
}

void SceneRenderer::draw(const Scene& scene, const Scene::Command& command, Bounds clip) {
  if (!setScissor(scene, clip)) return;
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_STENCIL_TEST);
  if (const auto* heatmaps = std::get_if<HeatmapBatch>(&command.batch)) {
    drawHeatmaps(scene, *heatmaps);
  } else if (const auto* picture = std::get_if<PictureBatch>(&command.batch)) {
    drawPicture(scene, *picture);
  } else {
    drawRibbons(scene, std::get<RibbonBatch>(command.batch));
  }
}

SceneRenderer::Stats SceneRenderer::stats() const {
  constexpr int kOwnObjects = 7;  // three programs, the colour maps, a buffer, two vertex arrays
  return {textures_.uploads() + pictures_.uploads(),
          textures_.bytesUploaded() + pictures_.bytesUploaded(),
          textures_.bytesHeld(),
          drawCalls_,
          textures_.putOff(),
          kOwnObjects + textures_.arrayCount() + pictures_.count()};
}

/// One draw call per texture array: quads of one batch must not overlap.
void SceneRenderer::drawHeatmaps(const Scene& scene, const HeatmapBatch& batch) {
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, colorMaps_.id());
  glActiveTexture(GL_TEXTURE0);  // as ImGui expects it
  const auto places = textures_.locate(batch.sources);

  const Program& program = heatmapProgram_;
  program.use();
  program.set("uDisplay", scene.displayWidth, scene.displayHeight);
  program.set("uPixelsPerPoint", scene.pixelsPerPoint);
  program.set("uValues", 0);
  program.set("uColorMaps", 1);
  setColor(program, "uHatch", scene.hatch);
  setColor(program, "uMaskedFill", scene.maskedFill);
  setColor(program, "uGapColor", scene.gapColor);

  std::set<GLuint> textures;
  for (const auto& quad : batch.quads) {
    if (places[quad.source].texture != 0) textures.insert(places[quad.source].texture);
  }
  for (const GLuint texture : textures) {
    staging_.clear();
    for (const auto& quad : batch.quads) {
      const auto& place = places[quad.source];
      if (place.texture != texture) continue;
      appendQuad(staging_, quad, batch.sources[quad.source], place.layer);
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    drawInstances(heatmapArray_, staging_, kQuadVertices,
                  static_cast<int>(staging_.size()) / kInstanceFloats);
  }
}

void SceneRenderer::drawRibbons(const Scene& scene, const RibbonBatch& batch) {
  staging_.clear();
  for (const auto& ribbon : batch.ribbons) appendRibbon(staging_, ribbon);
  const Program& program = ribbonProgram_;
  program.use();
  program.set("uDisplay", scene.displayWidth, scene.displayHeight);
  program.set("uPixelsPerPoint", scene.pixelsPerPoint);
  program.set("uSegments", static_cast<float>(kRibbonSegments));
  drawInstances(ribbonArray_, staging_, kRibbonVertices, static_cast<int>(batch.ribbons.size()));
}

void SceneRenderer::drawPicture(const Scene& scene, const PictureBatch& batch) {
  staging_.clear();
  for (const auto& quad : batch.quads) appendPart(staging_, quad);
  glActiveTexture(GL_TEXTURE0);
  pictures_.locate(batch.source);
  const Program& program = pictureProgram_;
  program.use();
  program.set("uDisplay", scene.displayWidth, scene.displayHeight);
  program.set("uPicture", 0);
  drawInstances(heatmapArray_, staging_, kQuadVertices, static_cast<int>(batch.quads.size()));
}

void SceneRenderer::drawInstances(const VertexArray& array, std::span<const float> data,
                                  int vertices, int instances) {
  glBindVertexArray(array.id());
  glBindBuffer(GL_ARRAY_BUFFER, instances_.id());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data.size_bytes()), data.data(),
               GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, vertices, instances);
  ++drawCalls_;
}

}  // namespace headscope::gl
