// Image processor: how a model's folder says a picture becomes pixels (preprocessor_config.json):
// resized and cropped as Pillow does it, then rescaled and normalised, channel by channel.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/formats/pictures/picture.h"
#include "core/model/model_config.h"
#include "core/tensor/resample.h"
#include "core/tensor/tensor.h"

namespace headscope::formats {

struct ImageProcessor {
  std::optional<model::Extent> size;  // to resize to; none: not resized
  std::optional<Index> shortestEdge;  // in its place: the other edge keeps the proportions
  std::optional<model::Extent> crop;  // of the middle; black where the picture is smaller
  Kernel kernel = Kernel::bilinear;
  double factor = 1.0 / 255.0;
  std::vector<float> mean, deviation;  // of each channel; empty: not normalised

  bool operator==(const ImageProcessor&) const = default;
};

/// Reads the settings of a folder; without the file, those that transformers gives its kind of
/// model, at the model's own size. Throws UserError that names file and field.
ImageProcessor imageProcessorOf(const std::filesystem::path& folder,
                                const model::ModelConfig& config);

/// The picture as the model is shown it: resized and cropped.
Picture shownPicture(const ImageProcessor& processor, const Picture& picture);
/// Its pixels, (channels, height, width). A model of one channel reads luminance. Throws UserError
/// for a model with other than 1 or 3 channels.
Tensor pixelsOf(const ImageProcessor& processor, const Picture& shown, Index channels);

/// A picture resized as Pillow's Image.resize does, bit for bit.
Picture resized(const Picture& picture, const model::Extent& size, Kernel kernel);

/// Pixels from a file: its tensor "pixel_values", (C, H, W) or (1, C, H, W). Throws UserError.
Tensor readPixels(const std::filesystem::path& path);

}  // namespace headscope::formats
