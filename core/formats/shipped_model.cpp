#include "core/formats/shipped_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/assets.h"
#include "core/base/error.h"

namespace headscope::formats {

std::string_view ShippedModel::file(std::string_view name) const {
  return asset(fmt::format("models/{}/{}", name_, name));
}

std::string ShippedModel::fileName(std::string_view name) const {
  return fmt::format("headscope:{}/{}", name_, name);
}

namespace {
constexpr std::string_view kShippedBegins = "headscope:";
}

bool isShipped(const std::filesystem::path& folder) {
  return folder.string().starts_with(kShippedBegins);
}

std::optional<ShippedModel> shippedModel(const std::filesystem::path& folder) {
  if (!isShipped(folder)) return std::nullopt;
  const std::string path = folder.string();
  if (std::ranges::find(kShippedModels, path) == kShippedModels.end()) {
    throw UserError(
        fmt::format("{} does not come with this program; {}, {} and {} do, and others are given by "
                    "their folder",
                    path, kInductionModel, kStoriesModel, kShapesModel));
  }
  return ShippedModel(path.substr(kShippedBegins.size()));
}

}  // namespace headscope::formats
