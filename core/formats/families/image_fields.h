// Image fields: what the families that read images share in config.json: the sizes of image and
// patch, and the labels of a classifier.
#pragma once

#include "core/formats/families/config_reader.h"

namespace headscope::formats {

/// Reads the sizes of an encoder of images with pre-norm layers, and sets what all of them have.
/// `perPatch`: the size of a patch where the field is missing.
void readImageEncoder(ConfigReader& r, Index imageSize, Index perPatch, const char* ffWidth);

/// Reads the labels of a classifier, whose number is V.
void readLabels(ConfigReader& r);

/// The names of ViT's tensors, which DeiT and DINOv2 share but for those of the layers' halves.
constexpr TensorNames imageNames(const char* base) {
  return {.base = base,
          .tokens = "embeddings.patch_embeddings.projection",
          .positions = "embeddings.position_embeddings",
          .layer = "encoder.layer.{}.",
          .attentionNorm = "layernorm_before",
          .feedForwardNorm = "layernorm_after",
          .query = "attention.attention.query",
          .key = "attention.attention.key",
          .value = "attention.attention.value",
          .output = "attention.output.dense",
          .up = "intermediate.dense",
          .down = "output.dense",
          .classToken = "embeddings.cls_token",
          .finalNorm = "layernorm",
          .decoder = "classifier",
          .decoderBias = "classifier.bias"};
}

}  // namespace headscope::formats
