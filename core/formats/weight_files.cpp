#include "core/formats/weight_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/formats/model_folder.h"
#include "core/formats/safetensors_weights.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostIndexBytes = std::uintmax_t{64} << 20;
constexpr std::size_t kMostIndexedTensors = 1'000'000;

}  // namespace

WeightFiles::WeightFiles(const fs::path& directory, model::ModelNotes& notes)
    : directory_(directory) {
  const WeightsPlace place = weightsIn(directory, notes);
  if (place.index) {
    openIndex(place.path);
    return;
  }
  files_.push_back(openWeightFile(place.path));
  for (const std::string& name : files_.front()->names()) add(name, 0);
}

WeightFiles::WeightFiles(const fs::path& directory, SafetensorsFile file)
    : WeightFiles(directory, std::make_unique<const SafetensorsWeights>(std::move(file))) {}

WeightFiles::WeightFiles(const fs::path& directory, WeightFilePtr file) : directory_(directory) {
  for (const std::string& name : file->names()) add(name, 0);
  files_.push_back(std::move(file));
}

void WeightFiles::openIndex(const fs::path& index) {
  const std::string text = readText(index, kMostIndexBytes, "index of weights");
  const std::string file = index.string();
  const Json json = downloadedJson(text, file, {.depth = 8, .keys = kMostIndexedTensors});
  const JsonField map = JsonField(json, file).at("weight_map");
  std::map<std::string, std::size_t> opened;
  for (const auto& [name, field] : map.fields()) {
    const std::string& shard = field.text();
    // only names in this folder: an index must not open files outside it
    if (shard.empty() || shard == "." || shard == ".." ||
        shard.find_first_of(std::string("/\\\0", 3)) != std::string::npos) {
      field.fail(
          fmt::format("is {}, which is not the name of a file in the same folder", field.quoted()));
    }
    const auto found = opened.find(shard);
    if (found == opened.end()) {
      files_.push_back(openWeightFile(directory_ / shard));
      opened.emplace(shard, files_.size() - 1);
    }
    const std::size_t number = opened.at(shard);
    if (!files_[number]->has(name)) {
      throw UserError(
          fmt::format("{0} lists the tensor \"{2}\" in {1}, which lacks it: download both again",
                      file, shard, name));
    }
    add(name, number);
  }
  if (where_.empty()) map.fail("names no tensors");
}

std::vector<std::string> WeightFiles::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : where_) names.push_back(name);
  return names;
}

void WeightFiles::adapt(const AdapterChoice& choice, bool inByOut, model::ModelNotes& notes) {
  const Adapter::Base base{names(), [this](const std::string& name) { return shape(name); },
                           inByOut};
  adapter_ = std::make_shared<const Adapter>(choice, base, notes);
}

Tensor WeightFiles::read(const std::string& name) const {
  Tensor own = fileOf(name).read(name);
  return adapter_ == nullptr ? own : adapter_->applied(name, std::move(own));
}

StoredMatrix WeightFiles::readStored(const std::string& name) const {
  const bool changes = adapter_ != nullptr && adapter_->changes(name);
  HalfMatrix half = changes ? HalfMatrix() : fileOf(name).readHalf(name);
  return half.empty() ? StoredMatrix(read(name)) : StoredMatrix(std::move(half));
}

bool WeightFiles::changed() const {
  return (adapter_ != nullptr && adapter_->changedOnDisk()) ||
         std::ranges::any_of(files_, [](const WeightFilePtr& file) { return file->changed(); });
}

const WeightFile& WeightFiles::fileOf(const std::string& name) const {
  const auto found = where_.find(name);
  if (found == where_.end()) {
    throw UserError(fmt::format("{} has no tensor \"{}\"; check that the download is complete",
                                directory_.string(), name));
  }
  return *files_[found->second];
}

}  // namespace headscope::formats
