#include "core/model/image_embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/steps/linear.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/model/norms.h"
#include "core/model/rows.h"
#include "core/tensor/resample.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

/// The pixels of patches [first, first + count), channel by channel: (1, count, channels · height ·
/// width).
Tensor patchPixels(const ImageInput& input, const Tensor& pixels, Index first, Index count,
                   const ExecutionContext& execution) {
  const Index width = patchNumbers(input);
  Tensor cut = Tensor::uninitialised({1, count, width}, execution.memory);
  parallelForRows(count, execution, [&](Index i) {
    cutPatch(input, pixels.data(), extentOf(pixels), first + i, cut.mutableData() + i * width);
  });
  return cut;
}

}  // namespace

void cutPatch(const ImageInput& input, const float* pixels, const Extent& image, Index patch,
              float* to) {
  const Extent size = input.patch;
  const Index columns = input.gridOf(image).width;
  const Index row = patch / columns, column = patch % columns;
  for (Index channel = 0; channel < input.channels; ++channel) {
    for (Index y = 0; y < size.height; ++y, to += size.width) {
      const Index line = (channel * image.height + row * size.height + y) * image.width;
      std::copy_n(pixels + line + column * size.width, size.width, to);
    }
  }
}

std::vector<std::string> tokenNames(const ImageInput& input, const Extent& image) {
  std::vector<std::string> names{"class"};
  if (input.distillation) names.emplace_back("distillation");
  for (Index i = 1; i <= input.registers; ++i) names.push_back(trFormat("register {}", i));
  const Extent grid = input.gridOf(image);
  for (Index row = 0; row < grid.height; ++row) {
    for (Index column = 0; column < grid.width; ++column) {
      names.push_back(patchName({row, column}));
    }
  }
  return names;
}

Tensor imageTokens(const Embedding& embedding, const ModelConfig& config, const Tensor& pixels,
                   Index first, Index count, const ExecutionContext& execution) {
  const Index d = config.dModel, before = config.image.firstPatch();
  const Index specials = std::clamp<Index>(before - first, 0, count);
  Tensor tokens = Tensor::uninitialised({1, count, d}, execution.memory);
  if (specials > 0) {
    std::copy_n(embedding.specials.data() + first * d, specials * d, tokens.mutableData());
  }
  if (count == specials) return tokens;
  const Tensor cut =
      patchPixels(config.image, pixels, first + specials - before, count - specials, execution);
  const Tensor projected = linear(cut, embedding.patches, embedding.patchesBias, execution);
  std::copy_n(projected.data(), projected.size(), tokens.mutableData() + specials * d);
  return tokens;
}

Tensor imagePositions(const Embedding& embedding, const ModelConfig& config, const Extent& image) {
  const ImageInput& input = config.image;
  const Index d = config.dModel, learned = input.firstPatch() - input.registers;
  const Extent grid = input.gridOf(image), own = input.grid();
  Tensor positions = Tensor::zeros({input.tokensOf(image), d});
  std::copy_n(embedding.positions.data(), learned * d, positions.mutableData());
  float* patches = positions.mutableData() + input.firstPatch() * d;
  const float* from = embedding.positions.data() + learned * d;
  if (grid == own) {
    std::copy_n(from, grid.area() * d, patches);
    return positions;
  }
  const Kernel kernel = input.antialiasedPositions ? Kernel::bicubic : Kernel::bicubicPoints;
  const std::vector<Taps> rows = tapsOf(own.height, grid.height, kernel);
  const std::vector<Taps> columns = tapsOf(own.width, grid.width, kernel);
  for (Index row = 0; row < grid.height; ++row) {
    for (Index column = 0; column < grid.width; ++column, patches += d) {
      for (const auto& [y, ofRow] : rows[static_cast<std::size_t>(row)]) {
        for (const auto& [x, ofColumn] : columns[static_cast<std::size_t>(column)]) {
          const auto weight = static_cast<float>(ofRow * ofColumn);
          const float* values = from + (y * own.width + x) * d;
          for (Index j = 0; j < d; ++j) patches[j] += weight * values[j];
        }
      }
    }
  }
  return positions;
}

Tensor embedImage(const Embedding& embedding, const ModelConfig& config, const Tensor& pixels,
                  const ExecutionContext& execution) {
  const Index count = config.image.tokensOf(extentOf(pixels));
  const Tensor tokens = imageTokens(embedding, config, pixels, 0, count, execution);
  const Tensor positions = imagePositions(embedding, config, extentOf(pixels));
  const Tensor placed = sum(tokens, positions.reshaped({1, count, config.dModel}), 1.0, execution);
  return normalized(placed, embedding.norm, config, execution);
}

}  // namespace headscope::model
