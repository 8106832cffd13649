// Shape batch: drawings as an image model reads them, and the shapes that it is to name.
#pragma once

#include <vector>

#include "core/images/image_pass.h"
#include "core/training/loss.h"

namespace headscope::images {

class ShapeBatch {
 public:
  ShapeBatch(const std::vector<Drawing>& drawings, const ImageModelSettings& settings,
             const ExecutionContext& execution);

  /// The loss and the right answers of logits (B, 1, kinds); also writes ∂loss/∂logits.
  training::Losses losses(const Tensor& logits, const ExecutionContext& execution) const;
  training::Losses losses(const Tensor& logits, const ExecutionContext& execution,
                          Tensor& gradient) const;

  Tensor patches;  // as patchesOf

 private:
  training::Examples kinds_;
};

}  // namespace headscope::images
