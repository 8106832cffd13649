// Image options: the flags for the image of a model that reads images, shared by all commands that
// take a model's folder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/file_flags.h"
#include "core/model/model_trace.h"

namespace headscope::cli {

struct ImageOptions {
  std::string flags = "--";  // begins the names of its flags: "--other-" of another image
  std::string image;         // a picture
  std::string pixels;        // a file with its pixels
  bool given() const { return !image.empty() || !pixels.empty(); }
};

/// Adds --image and --pixels.
void addImageFlags(CLI::App& app, ImageOptions& options, const std::string& group = {});
/// Adds those of another image, whose values are put in place, with their options' own names. They
/// are given without the excluded flags. `about`: what the image is.
std::vector<CLI::Option*> addOtherImageFlags(CLI::App& app, ImageOptions& options,
                                             const std::string& about,
                                             const std::vector<CLI::Option*>& excluded);

/// Throws UserError for an image that the model does not read, and for one that it needs.
void requireImage(const ImageOptions& options, const std::string& folder,
                  const model::Model& model);

/// The picture, resized and normalised as the model's folder says, or the given pixels. Throws
/// UserError that names the file.
model::ModelInput imageInputFrom(const ImageOptions& options, const std::string& folder,
                                 const model::Model& model);
/// Adds the files that the image is read from.
void addFilesRead(FileFlags& files, const ImageOptions& options);

}  // namespace headscope::cli
