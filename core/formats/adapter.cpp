#include "core/formats/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/platform/paths.h"
#include "core/tensor/gemm.h"
#include "core/tensor/read_floats.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOfPeft = "base_model.model.";

WeightFilePtr openAdapterWeights(const fs::path& folder) {
  for (const char* name : {kAdapterWeights, "adapter_model.bin"}) {
    if (platform::exists(folder / name)) return openWeightFile(folder / name);
  }
  throw UserError(
      fmt::format("{} has no {}: download the whole adapter", folder.string(), kAdapterWeights));
}

/// The end of a name, taken off where it is there.
bool takeEnd(std::string& name, std::string_view end) {
  if (!name.ends_with(end)) return false;
  name.resize(name.size() - end.size());
  return true;
}

/// The adapter's name for a module: "transformer.h.0.attn.c_attn" of
/// "base_model.model.transformer.h.0.attn.c_attn.lora_A.default.weight", without `end`.
std::string moduleOf(std::string name, std::string_view end) {
  if (name.starts_with(kOfPeft)) name.erase(0, kOfPeft.size());
  if (!takeEnd(name, end))
    takeEnd(name, fmt::format("{}.default.weight", end.substr(0, end.rfind('.'))));
  takeEnd(name, ".base_layer");
  return name;
}

bool isMatrix(const Shape& shape, Index rows, Index cols) { return shape == Shape{rows, cols}; }

}  // namespace

bool isAdapter(const fs::path& folder) {
  return platform::exists(folder / kAdapterConfig) && !platform::exists(folder / "config.json");
}

std::optional<fs::path> adapterBaseFolder(const fs::path& folder) {
  const std::string named = adapterBase(folder);
  if (named.empty()) return std::nullopt;
  for (const fs::path& place : {fs::path(named), folder / named}) {
    if (platform::exists(place / "config.json") || place.extension() == ".gguf") return place;
  }
  return std::nullopt;
}

AdaptedFolder adaptedFolder(const fs::path& folder, const AdapterChoice& adapter) {
  if (adapter.folder.empty() && isAdapter(folder)) {
    if (const auto base = adapterBaseFolder(folder)) return {*base, {folder, adapter.strength}};
  }
  return {folder, adapter};
}

Adapter::Adapter(const AdapterChoice& choice, const Base& base, model::ModelNotes& notes)
    : strength_(choice.strength),
      config_(readAdapterConfig(choice.folder, notes)),
      file_(openAdapterWeights(choice.folder)) {
  if (!(strength_ >= 0.0 && strength_ <= 1.0)) {
    throw UserError(fmt::format("the adapter's strength is {:g}, and must be 0 to 1", strength_));
  }
  for (const std::string& name : file_->names()) add(name, base, notes);
  if (changes_.empty()) {
    throw UserError(fmt::format("{} holds no tensor of a module that {} names: download it again",
                                file_->path().string(), config_.file.string()));
  }
}

void Adapter::refuse(const std::string& tensor, const std::string& why) const {
  throw UserError(fmt::format("\"{}\" in {} {}", tensor, file_->path().string(), why));
}

std::string Adapter::tensorOf(const std::string& module, const std::string& end,
                              const Base& base) const {
  // files and adapters may have the same names with other prefixes
  const auto has = [&](std::string_view name) {
    return std::ranges::find(base.names, name) != base.names.end();
  };
  const std::string whole = module + end;
  for (std::string_view name = whole;;) {
    if (has(name)) return std::string(name);
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || dot + 1 >= whole.size() || name.size() <= end.size())
      break;
    name.remove_prefix(dot + 1);
  }
  std::vector<std::string> longer;
  std::ranges::copy_if(base.names, std::back_inserter(longer),
                       [&](const std::string& name) { return name.ends_with("." + whole); });
  return longer.size() == 1 ? longer.front() : std::string();
}

void Adapter::add(const std::string& name, const Base& base, model::ModelNotes& notes) {
  if (name.find("lora_magnitude") != std::string::npos)
    refuse(name, "belongs to DoRA, which is not computed here: merge the adapter");
  if (!isReadableFloat(file_->dtype(name))) {
    refuse(name,
           fmt::format("is of type {}; save the adapter in F32, F16 or BF16", file_->dtype(name)));
  }
  for (const auto& [ofA, ofB] :
       {std::pair(".lora_A", ".lora_B"), std::pair(".lora_embedding_A", ".lora_embedding_B")}) {
    const auto with = [&](std::string_view half, std::string_view other) {
      const std::size_t at = name.find(half);
      std::string paired = name;
      if (at != std::string::npos) paired.replace(at, half.size(), other);
      return std::pair(at, paired);
    };
    const auto [isA, nameOfB] = with(ofA, ofB);
    const auto [isB, nameOfA] = with(ofB, ofA);
    if (isA == std::string::npos && isB == std::string::npos) continue;
    const std::string& other = isA != std::string::npos ? nameOfB : nameOfA;
    if (!file_->has(other)) {
      refuse(name,
             fmt::format("is half of a product, and \"{}\" is missing: download the adapter again",
                         other));
    }
    if (isB != std::string::npos) return;  // added with A
    std::string module = name.substr(0, isA);
    if (module.starts_with(kOfPeft)) module.erase(0, kOfPeft.size());
    if (!config_.isTarget(module)) {
      notes.files.push_back(fmt::format("{} is not applied: {} is no target_modules of {}", name,
                                        module, kAdapterConfig));
      return;
    }
    return addProduct(name, nameOfB, module, base);
  }
  const std::string end = name.ends_with(".bias") ? ".bias" : ".weight";
  const std::string module = moduleOf(name, end);
  const bool isBaseOfProduct = name.ends_with(".base_layer" + end);
  if (!isBaseOfProduct && !config_.isSavedWhole(module) && end == ".bias") {
    refuse(name, "is a trained bias, which is not computed here: merge the adapter");
  }
  const std::string tensor = tensorOf(module, end, base);
  if (tensor.empty()) {
    refuse(name,
           "changes a tensor that the base model does not have (a readout that is the embedding "
           "has none): merge the adapter");
  }
  if (base.shape(tensor) != file_->shape(name)) {
    refuse(name, fmt::format("is {}, and \"{}\" of the base is {}: open the adapter onto the model "
                             "that it was made for",
                             toString(file_->shape(name)), tensor, toString(base.shape(tensor))));
  }
  Change& change = changes_[tensor];
  change.whole = name;
}

void Adapter::addProduct(const std::string& nameOfA, const std::string& nameOfB,
                         const std::string& module, const Base& base) {
  const std::string tensor = tensorOf(module, ".weight", base);
  const auto misfit = [&](const std::string& why) {
    refuse(nameOfA, fmt::format("{}: open the adapter onto the model that it was made for{}", why,
                                config_.base.empty() ? "" : ", " + config_.base));
  };
  if (tensor.empty()) misfit(fmt::format("changes {}, which the base model does not have", module));
  const Shape a = file_->shape(nameOfA), b = file_->shape(nameOfB), own = base.shape(tensor);
  const Index rank = config_.rankOf(module);
  if (a.size() != 2 || b.size() != 2 || own.size() != 2)
    misfit(fmt::format("belongs to {}, and is no matrix of a linear layer", module));
  const bool embedding = nameOfA.find(".lora_embedding_A") != std::string::npos;
  const bool turned = embedding || base.inByOut;
  if (a[0] != rank || b[1] != rank) {
    refuse(nameOfA, fmt::format("and its B are {} and {}, and {} gives the rank {}: the two files "
                                "belong to different adapters",
                                toString(a), toString(b), kAdapterConfig, rank));
  }
  if (!(turned ? isMatrix(own, a[1], b[0]) : isMatrix(own, b[0], a[1]))) {
    misfit(fmt::format("and its B are {} and {}, and \"{}\" of the base is {}", toString(a),
                       toString(b), tensor, toString(own)));
  }
  Change& change = changes_[tensor];
  change.a = nameOfA;
  change.b = nameOfB;
  change.factor = config_.factorOf(module);
  change.turned = turned;
}

Tensor Adapter::applied(const std::string& name, Tensor own) const {
  const auto found = changes_.find(name);
  if (found == changes_.end() || strength_ == 0.0) return own;
  const Change& change = found->second;
  Tensor changed = own.clone();
  if (!change.whole.empty()) {
    const Tensor whole = file_->read(change.whole);
    for (Index i = 0; i < changed.size(); ++i) {
      float& value = changed.mutableData()[i];
      value = strength_ == 1.0
                  ? whole.data()[i]
                  : static_cast<float>(double{value} +
                                       strength_ * (double{whole.data()[i]} - double{value}));
    }
  }
  if (change.a.empty()) return changed;
  const Tensor a = file_->read(change.a), b = file_->read(change.b);
  const Product product{static_cast<float>(strength_ * change.factor), true};
  if (change.turned) {
    gemm(a.matrix().transposed(), b.matrix().transposed(), changed.mutableMatrix(), product);
  } else {
    gemm(b.matrix(), a.matrix(), changed.mutableMatrix(), product);
  }
  return changed;
}

}  // namespace headscope::formats
