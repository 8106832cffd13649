#include "app/cli/image_options.h"

#include <fmt/format.h>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/formats/model_tensors.h"
#include "core/formats/pictures/image_processor.h"
#include "core/model/image_embedding.h"

namespace headscope::cli {

void addImageFlags(CLI::App& app, ImageOptions& options, const std::string& group) {
  auto* image =
      app.add_option("--image", options.image,
                     "a picture for a model that reads images: PNG, JPEG or WebP, resized and "
                     "normalised by the folder's preprocessor_config.json; or a drawn one, as "
                     "headscope:shapes/circle")
          ->check(notEmpty)
          ->type_name("FILE");
  auto* pixels =
      app.add_option("--pixels", options.pixels,
                     "its pixels in the place of a picture: the tensor pixel_values, (C,H,W) or "
                     "(1,C,H,W), already normalised")
          ->check(notEmpty)
          ->excludes(image)
          ->type_name("FILE.safetensors");
  if (group.empty()) return;
  image->group(group);
  pixels->group(group);
}

void requireImage(const ImageOptions& options, const std::string& folder,
                  const model::Model& model) {
  const bool reads = model.config().image.on();
  if (reads == options.given()) return;
  if (!reads)
    throw UserError(fmt::format(
        "--image: {} reads texts: leave --image and --pixels out, and give --text", folder));
  throw UserError(
      fmt::format("{} reads images: give --image FILE or --pixels FILE.safetensors", folder));
}

model::ModelInput imageInputFrom(const ImageOptions& options, const std::string& folder,
                                 const model::Model& model) {
  if (!options.pixels.empty()) {
    try {
      return imageInput(model, formats::readPixels(options.pixels));
    } catch (const UserError& error) {
      throw UserError(fmt::format("--pixels: {}", error.what()));
    }
  }
  const model::ModelConfig& config = model.config();
  const formats::ImageProcessor processor = formats::imageProcessorOf(folder, config);
  const formats::Picture shown =
      formats::shownPicture(processor, formats::readPicture(options.image));
  return imageInput(model, formats::pixelsOf(processor, shown, config.image.channels));
}

void addFilesRead(FileFlags& files, const ImageOptions& options) {
  files.reads("--image", options.image);
  files.reads("--pixels", options.pixels);
}

}  // namespace headscope::cli
