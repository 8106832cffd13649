// Shown pictures: reads the values of pictures that have changed, as the textures do before they
// are drawn.
#pragma once

#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "app/gl/scene.h"

namespace headscope::bench {

class ShownPictures {
 public:
  void read(const gl::Scene& scene) {
    for (const auto& command : scene.commands) {
      if (const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch)) read(*batch);
    }
  }
  std::size_t count() const { return revisions_.size(); }

 private:
  void read(const gl::HeatmapBatch& batch) {
    for (const gl::HeatmapSource& source : batch.sources) {
      const auto [known, isNew] = revisions_.try_emplace(source.key, source.revision);
      if (!isNew && known->second == source.revision) continue;
      known->second = source.revision;
      values_.resize(static_cast<std::size_t>(source.rows) * static_cast<std::size_t>(source.cols));
      source.fill(values_.data());
    }
  }

  std::map<std::uint64_t, std::uint64_t> revisions_;  // by key
  std::vector<float> values_;
};

}  // namespace headscope::bench
