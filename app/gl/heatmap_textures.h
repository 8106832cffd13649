// Heatmap textures: where each source's values lie on the GPU. Sources of one size share texture
// arrays, one layer each; a layer is filled again only when its source's revision has changed, and
// of what is filled only the part goes to the GPU whose values have. Reading huge matrices can be
// spread over frames, so that none takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/gl/objects.h"
#include "app/gl/scene.h"

namespace headscope::gl {

class HeatmapTextures {
 public:
  struct Place {
    GLuint texture = 0;  // 0: nothing to show yet
    int layer = 0;
  };

  /// Once sources have been filled for `patience` seconds of a frame, those left show what they did
  /// before until a later frame. Infinite: every frame shows what it asks for.
  explicit HeatmapTextures(double patience = std::numeric_limits<double>::infinity());

  /// Ages what the frames since have not asked for, and frees arrays that nothing uses.
  void beginFrame();

  /// Where each source lies; uploads those that are not there in this revision. Changes the texture
  /// bound to the active unit. Throws Error for a source larger than GL takes.
  std::vector<Place> locate(const std::vector<HeatmapSource>& sources);

  /// Sources that this frame has put off.
  int putOff() const { return putOff_; }
  std::uint64_t uploads() const { return uploads_; }
  std::uint64_t bytesUploaded() const { return bytesUploaded_; }
  std::uint64_t bytesHeld() const;
  int arrayCount() const;

 private:
  using Size = std::pair<int, int>;  // rows, columns
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t revision = 0;
    std::uint64_t lastUsed = 0;
    bool filled = false;
    std::vector<float> values;  // what the layer holds
  };
  struct Array {
    Texture texture;
    std::vector<Slot> slots;
  };
  struct SlotRef {
    std::size_t array = 0;
    std::size_t slot = 0;
  };
  struct SizeClass {
    std::vector<Array> arrays;
    std::unordered_map<std::uint64_t, SlotRef> byKey;
  };

  void reserve(const std::vector<HeatmapSource>& sources);
  /// Gives the number of layers added: fewer than wanted where that would be too large.
  std::size_t addArray(SizeClass& sizeClass, Size size, std::size_t layers);
  bool free(const Slot& slot) const;
  SlotRef claim(SizeClass& sizeClass, Size size, std::uint64_t key);
  /// Returns whether this frame fills one more source; one that it does not is put off.
  bool mayFill();
  void fill(const HeatmapSource& source, GLuint texture, std::size_t layer, Slot& slot);

  std::map<Size, SizeClass> classes_;
  std::vector<float> staging_;
  std::uint64_t frame_ = 0;
  std::uint64_t keepFrames_ = 0;
  double patience_;
  std::optional<std::chrono::steady_clock::time_point> firstFill_;  // of the frame
  int putOff_ = 0;
  std::uint64_t uploads_ = 0;
  std::uint64_t bytesUploaded_ = 0;
  int maxSize_ = 0;
  int maxLayers_ = 0;
};

}  // namespace headscope::gl
