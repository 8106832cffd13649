// Image input: how a model cuts an image into tokens. Each patch of the image is a token; a class
// token stands before them, behind it a distillation token (DeiT) or registers (DINOv2).
#pragma once

#include <string>
#include <vector>

#include "core/base/index.h"

namespace headscope::model {

/// Pixels, or patches.
struct Extent {
  Index height = 0, width = 0;

  Index area() const { return height * width; }
  bool operator==(const Extent&) const = default;
};

struct ImageInput {
  Extent size;   // of the training's images
  Extent patch;  // 0 × 0: the model reads a text
  Index channels = 3;
  bool distillation = false;
  Index registers = 0;
  /// Positions of an image of another size: a bicubic kernel as Pillow has it, wider where there
  /// are fewer patches; otherwise PyTorch's.
  bool antialiasedPositions = false;

  bool on() const { return patch.height > 0; }
  /// The tokens before the patches.
  Index firstPatch() const { return 1 + (distillation ? 1 : 0) + registers; }
  /// The patches of an image, row by row; pixels that fill no patch are left out.
  Extent gridOf(const Extent& image) const {
    return {image.height / patch.height, image.width / patch.width};
  }
  Extent grid() const { return gridOf(size); }
  Index tokensOf(const Extent& image) const { return firstPatch() + gridOf(image).area(); }

  bool operator==(const ImageInput&) const = default;
};

/// "class", "distillation", "register 1", "patch 1,3" (row and column, from 1).
std::vector<std::string> tokenNames(const ImageInput& input, const Extent& image);

}  // namespace headscope::model
