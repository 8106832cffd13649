#include "core/formats/model_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/formats/adapter_config.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

/// Files of weights that are not read, by the ends of their names.
struct OtherFormat {
  std::string_view end, is, wayOut;
};
constexpr std::string_view kSaveAgain =
    "save the model again with save_pretrained(…, safe_serialization=True)";
constexpr std::string_view kPickle = "a program that this one does not run";
constexpr std::string_view kDownload = "download its model.safetensors";
constexpr OtherFormat kOtherFormats[]{
    {".gguf", "a GGUF file", "open that file by itself"},
    {".ckpt", kPickle, kSaveAgain},
    {".h5", "a Keras file, which this program does not read", kDownload},
    {".msgpack", "a Flax file, which this program does not read", kDownload},
    {".onnx", "an ONNX file, which this program does not read", kDownload}};

/// Returns whether a path exists, also as a broken link, whose target is reported when it is
/// opened.
bool isThere(const fs::path& path) {
  std::error_code code;
  return fs::symlink_status(path, code).type() != fs::file_type::not_found;
}

/// Names of the files in a folder, sorted.
std::vector<std::string> filesIn(const fs::path& folder) {
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end && names.size() < kMost;
       at.increment(code)) {
    std::error_code unread;
    if (!fs::is_directory(at->path(), unread)) names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// "model-00001-of-00002.safetensors": one of several that only an index tells the order of.
bool isPart(std::string_view name) {
  const std::size_t of = name.find("-of-");
  return of != std::string_view::npos && of > 0 && name[of - 1] >= '0' && name[of - 1] <= '9';
}

bool isWeights(std::string_view name) {
  return name.ends_with(".safetensors") && name != kAdapterWeights;
}

/// Returns whether a file may be one that torch.save wrote of a model. Training's own state and
/// an adapter are none.
bool isPyTorch(std::string_view name) {
  const bool ending = name.ends_with(".bin") || name.ends_with(".pth") || name.ends_with(".pt");
  constexpr std::array kOthers{"training_args", "optimizer", "scheduler", "rng_state", "adapter_"};
  return ending && std::ranges::none_of(
                       kOthers, [name](const char* other) { return name.starts_with(other); });
}

/// The first file in a format that is not read, as a sentence with the way out.
std::optional<std::string> otherFormatIn(const std::vector<std::string>& files) {
  for (const OtherFormat& format : kOtherFormats) {
    for (const std::string& file : files) {
      // training's own state is no model
      if (!file.ends_with(format.end) || file.starts_with("training_args")) continue;
      return fmt::format("its {} is {}; {}", file, format.is, format.wayOut);
    }
  }
  return std::nullopt;
}

/// A folder inside that has a config.json, as a cache's snapshots are.
std::optional<fs::path> modelInside(const fs::path& folder) {
  constexpr int kMostLooked = 1000;
  const auto search = [&](const fs::path& within) -> std::optional<fs::path> {
    std::error_code code;
    int looked = 0;
    for (fs::directory_iterator at(within, code), end; !code && at != end && looked < kMostLooked;
         at.increment(code), ++looked) {
      if (isThere(at->path() / kConfig)) return at->path();
    }
    return std::nullopt;
  };
  const auto snapshot = search(folder / "snapshots");
  return snapshot ? snapshot : search(folder);
}

std::string whyNoConfig(const fs::path& folder) {
  if (isThere(folder / kAdapterConfig)) {
    const std::string base = adapterBase(folder);
    return fmt::format(
        "is an adapter (LoRA){}, not a whole model, and its base is not found: open the base "
        "model's folder, then this one (model BASE --adapter FOLDER)",
        base.empty() ? "" : fmt::format(" of {}", base));
  }
  if (const auto inside = modelInside(folder)) {
    return fmt::format("has no config.json; a folder in it has: open {}", inside->string());
  }
  const auto files = filesIn(folder);
  if (const auto other = otherFormatIn(files)) return fmt::format("has no config.json: {}", *other);
  if (std::ranges::any_of(files, isWeights)) {
    return "has weights and no config.json: put the model's config.json into the same folder";
  }
  return "has no config.json: open the folder that holds a model's config.json and weights";
}

}  // namespace

fs::path configIn(const fs::path& folder) {
  if (!isThere(folder / kConfig)) {
    throw UserError(fmt::format("{} {}", folder.string(), whyNoConfig(folder)));
  }
  return folder / kConfig;
}

WeightsPlace weightsIn(const fs::path& folder, model::ModelNotes& notes) {
  const std::vector<std::string> files = filesIn(folder);
  if (isThere(folder / kAdapterConfig) || isThere(folder / kAdapterWeights)) {
    notes.files.push_back(
        "the folder also holds an adapter (LoRA), which is not applied: open the folder as an "
        "adapter as well (--adapter) to see the model with it");
  }
  if (isThere(folder / kWhole)) {
    if (isThere(folder / kIndex)) {
      notes.files.push_back(
          fmt::format("{} is read; {} and its parts are ignored", kWhole, kIndex));
    }
    return {folder / kWhole, false};
  }
  if (isThere(folder / kIndex)) return {folder / kIndex, true};

  const auto refuse = [&](const std::string& why) {
    throw UserError(
        fmt::format("{} has neither {} nor {}: {}", folder.string(), kWhole, kIndex, why));
  };
  const auto otherName = [&](const std::string& file) {
    notes.files.push_back(
        fmt::format("the weights are read from {}, since there is no {}", file, kWhole));
    return folder / file;
  };
  for (const char* end : {".safetensors.index.json", ".bin.index.json"}) {
    for (const std::string& file : files) {
      if (file.ends_with(end)) return {otherName(file), true};
    }
  }
  std::vector<std::string> weights;
  std::ranges::copy_if(files, std::back_inserter(weights), isWeights);
  if (weights.empty()) std::ranges::copy_if(files, std::back_inserter(weights), isPyTorch);
  const auto part = std::ranges::find_if(weights, isPart);
  if (part != weights.end()) {
    refuse(fmt::format("{} is one of several parts, and their index is missing; download the index",
                       *part));
  }
  if (weights.size() == 1) return {otherName(weights.front()), false};
  if (weights.size() > 1) {
    refuse(
        fmt::format("it has {}; rename the one to open to {}", fmt::join(weights, ", "), kWhole));
  }
  const auto other = otherFormatIn(files);
  refuse(other ? *other : "open the folder that holds a model's config.json and weights");
  return {};
}

}  // namespace headscope::formats
