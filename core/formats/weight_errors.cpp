#include "core/formats/weight_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/formats/found_model.h"
#include "core/formats/tensor_prefixes.h"

namespace headscope::formats {
namespace {

/// A found model and the prefix of its tensors' names.
struct Compared {
  explicit Compared(const std::filesystem::path& place)
      : found(findModel(place, notes)), prefix(prefixIn(found.files, found.description)) {}

  /// A tensor's name without the prefix.
  std::string_view within(std::string_view name) const {
    for (const std::string& part : {prefix.whole(), prefix.wrapper}) {
      if (name.starts_with(part)) return name.substr(part.size());
    }
    return name;
  }

  model::ModelNotes notes;
  FoundModel found;
  NamePrefix prefix;
};

WeightError errorOf(const Tensor& rounded, const Tensor& unrounded) {
  WeightError error;
  for (Index i = 0; i < rounded.size(); ++i) {
    const double whole = unrounded.data()[i];
    const double difference = std::abs(double{rounded.data()[i]} - whole);
    error.size = std::max(error.size, std::abs(whole));
    error.largest = std::max(error.largest, difference);
    error.mean += difference;
  }
  error.mean /= static_cast<double>(std::max<Index>(1, rounded.size()));
  return error;
}

}  // namespace

std::vector<WeightError> weightErrors(const std::filesystem::path& rounded,
                                      const std::filesystem::path& unrounded) {
  const Compared a(rounded), b(unrounded);
  const std::vector<std::string> others = b.found.files.names();
  std::vector<WeightError> errors;
  for (const std::string& name : a.found.files.names()) {
    const auto same = std::ranges::find_if(
        others, [&](const std::string& other) { return b.within(other) == a.within(name); });
    if (same == others.end()) continue;
    const WeightFiles &files = a.found.files, &whole = b.found.files;
    if (files.shape(name) != whole.shape(*same)) {
      throw UserError(fmt::format("{} is {} in {} and {} in {}: compare files of the same model",
                                  name, toString(files.shape(name)), rounded.string(),
                                  toString(whole.shape(*same)), unrounded.string()));
    }
    WeightError error = errorOf(files.read(name), whole.read(*same));
    error.tensor = name;
    error.type = files.keptAs(name);
    error.shape = files.shape(name);
    errors.push_back(std::move(error));
  }
  if (errors.empty()) {
    throw UserError(
        fmt::format("{} and {} have no tensor in common: compare files of the same model",
                    rounded.string(), unrounded.string()));
  }
  return errors;
}

}  // namespace headscope::formats
