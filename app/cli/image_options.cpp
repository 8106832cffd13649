#include "app/cli/image_options.h"

#include <fmt/format.h>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/formats/model_tensors.h"
#include "core/formats/pictures/image_processor.h"
#include "core/model/image_embedding.h"

namespace headscope::cli {

namespace {

/// Adds both flags, of which one is given.
std::vector<CLI::Option*> addBoth(CLI::App& app, ImageOptions& options, const std::string& about,
                                  const std::string& aboutPixels) {
  auto* image = app.add_option(options.flags + "image", options.image, about)
                    ->check(notEmpty)
                    ->type_name("FILE");
  auto* pixels = app.add_option(options.flags + "pixels", options.pixels, aboutPixels)
                     ->check(notEmpty)
                     ->excludes(image)
                     ->type_name("FILE.safetensors");
  return {image, pixels};
}

}  // namespace

void addImageFlags(CLI::App& app, ImageOptions& options, const std::string& group) {
  const auto both =
      addBoth(app, options,
              "a picture for a model that reads images: PNG, JPEG or WebP, resized and "
              "normalised by the folder's preprocessor_config.json; or a drawn one, as "
              "headscope:shapes/circle",
              "its pixels in the place of a picture: the tensor pixel_values, (C,H,W) or "
              "(1,C,H,W), already normalised");
  if (group.empty()) return;
  for (CLI::Option* each : both) each->group(group);
}

std::vector<CLI::Option*> addOtherImageFlags(CLI::App& app, ImageOptions& options,
                                             const std::string& about,
                                             const std::vector<CLI::Option*>& excluded) {
  auto both = addBoth(app, options, about, "its pixels in the place of that picture");
  for (CLI::Option* each : both) {
    for (CLI::Option* other : excluded) each->excludes(other);
  }
  return both;
}

void requireImage(const ImageOptions& options, const std::string& folder,
                  const model::Model& model) {
  const bool reads = model.config().image.on();
  if (reads == options.given()) return;
  if (!reads) {
    throw UserError(
        fmt::format("{0}image: {1} reads texts: leave {0}image and {0}pixels out, and give {0}text",
                    options.flags, folder));
  }
  throw UserError(fmt::format("{1} reads images: give {0}image FILE or {0}pixels FILE.safetensors",
                              options.flags, folder));
}

model::ModelInput imageInputFrom(const ImageOptions& options, const std::string& folder,
                                 const model::Model& model) {
  if (!options.pixels.empty()) {
    try {
      return imageInput(model, formats::readPixels(options.pixels));
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}pixels: {}", options.flags, error.what()));
    }
  }
  const model::ModelConfig& config = model.config();
  const formats::ImageProcessor processor = formats::imageProcessorOf(folder, config);
  const formats::Picture shown =
      formats::shownPicture(processor, formats::readPicture(options.image));
  return imageInput(model, formats::pixelsOf(processor, shown, config.image.channels));
}

void addFilesRead(FileFlags& files, const ImageOptions& options) {
  files.reads(options.flags + "image", options.image);
  files.reads(options.flags + "pixels", options.pixels);
}

}  // namespace headscope::cli
