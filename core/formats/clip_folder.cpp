#include "core/formats/clip_folder.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"
#include "core/formats/found_model.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_folder.h"
#include "core/formats/tensor_prefixes.h"

namespace headscope::formats {
namespace {

/// A tensor of the match, by its name behind the files' wrapper.
Tensor takeFrom(const FoundModel& found, const std::string& own, const Shape& shape) {
  const std::string name = prefixIn(found.files, found.description).wrapper + own;
  if (!found.files.has(name) || found.files.shape(name) != shape) {
    throw UserError(fmt::format(
        "{} has no tensor \"{}\" {}, which matches images with texts: check that the download is "
        "complete, or open one encoder saved by itself",
        found.files.directory().string(), name, toString(shape)));
  }
  return found.files.read(name);
}

}  // namespace

bool isClipFolder(const std::filesystem::path& folder) {
  try {
    model::ModelNotes notes;
    return !readModelDescription(configIn(folder), notes).elsewhere.empty();
  } catch (const UserError&) {
    return false;
  }
}

model::TwoEncoders openClip(const std::filesystem::path& folder, Index layerBudgetBytes) {
  model::TwoEncoders both;
  both.images = openModel(folder, layerBudgetBytes, {}, Encoder::ofImages);
  both.texts = openModel(folder, layerBudgetBytes, {}, Encoder::ofTexts);
  model::ModelNotes notes;
  const FoundModel found = findModel(folder, notes);
  const std::string projection = "visual_projection.weight";
  const std::string name = prefixIn(found.files, found.description).wrapper + projection;
  const Index width = found.files.has(name) ? found.files.shape(name).front() : Index{1};
  both.imageProjection = takeFrom(found, projection, {width, both.images->config().dModel});
  both.textProjection =
      takeFrom(found, "text_projection.weight", {width, both.texts->config().dModel});
  const Tensor factor = takeFrom(found, "logit_scale", {});
  both.factor = std::exp(static_cast<double>(*factor.data()));
  return both;
}

}  // namespace headscope::formats
