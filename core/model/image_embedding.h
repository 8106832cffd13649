// Image embedding: the residual stream that an image gives: a projection of each patch behind the
// special tokens, each with its position.
#pragma once

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// The size of normalised pixels (channels, height, width).
inline Extent extentOf(const Tensor& pixels) { return {pixels.dim(1), pixels.dim(2)}; }

/// The numbers of a patch: channels · height · width.
inline Index patchNumbers(const ImageInput& input) { return input.channels * input.patch.area(); }
/// Copies the pixels of a patch (from 0, row by row) of an image (channels, height, width) to as
/// many numbers, channel by channel.
void cutPatch(const ImageInput& input, const float* pixels, const Extent& image, Index patch,
              float* to);

/// The tokens [first, first + count) of an image without their positions: (1, count, D).
Tensor imageTokens(const Embedding& embedding, const ModelConfig& config, const Tensor& pixels,
                   Index first, Index count, const ExecutionContext& execution);

/// The position of each token of an image: (T, D). Registers have zeros. Those of another size than
/// the training's are interpolated between its patches.
Tensor imagePositions(const Embedding& embedding, const ModelConfig& config, const Extent& image);

/// The sum of both, normalised where the model has a norm there: (1, T, D).
Tensor embedImage(const Embedding& embedding, const ModelConfig& config, const Tensor& pixels,
                  const ExecutionContext& execution);

}  // namespace headscope::model
