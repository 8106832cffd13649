// SceneRenderer: draws the heatmaps, ribbons and pictures of a Scene with the shaders, into
// whatever framebuffer is bound. Blends as Dear ImGui does; restores nothing of the GL state it
// changes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "app/gl/heatmap_textures.h"
#include "app/gl/objects.h"
#include "app/gl/picture_textures.h"
#include "app/gl/program.h"
#include "app/gl/scene.h"

namespace headscope::gl {

class SceneRenderer {
 public:
  static constexpr int kColorMapWidth = 256;

  /// `colorMaps` holds RGBA, kColorMapWidth × N; `patience` as in HeatmapTextures. Throws Error
  /// where a shader does not compile.
  SceneRenderer(std::span<const std::uint8_t> colorMaps, const ShaderSource& shaders,
                double patience = std::numeric_limits<double>::infinity());

  void beginFrame();
  /// Draws one command of the scene; `clip` in the scene's points.
  void draw(const Scene& scene, const Scene::Command& command, Bounds clip);

  struct Stats {
    std::uint64_t uploads = 0;        // since the start
    std::uint64_t bytesUploaded = 0;  // since the start
    std::uint64_t bytesHeld = 0;      // by heatmap textures
    int drawCalls = 0;                // since beginFrame
    int putOff = 0;                   // pictures that show what they did before, likewise
    int liveObjects = 0;              // textures, buffers, vertex arrays and programs
  };
  Stats stats() const;

 private:
  void drawHeatmaps(const Scene& scene, const HeatmapBatch& batch);
  void drawRibbons(const Scene& scene, const RibbonBatch& batch);
  void drawPicture(const Scene& scene, const PictureBatch& batch);
  void drawInstances(const VertexArray& array, std::span<const float> data, int vertices,
                     int instances);

  Program heatmapProgram_;
  Program ribbonProgram_;
  Program pictureProgram_;
  Texture colorMaps_;
  Buffer instances_;
  VertexArray heatmapArray_;
  VertexArray ribbonArray_;
  HeatmapTextures textures_;
  PictureTextures pictures_;
  std::vector<float> staging_;
  int drawCalls_ = 0;
};

}  // namespace headscope::gl
