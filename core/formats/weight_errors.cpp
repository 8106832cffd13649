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
  explicit Compared(std::filesystem::path folder)
      : place(std::move(folder)),
        found(findModel(place, notes)),
        prefix(prefixIn(found.files, found.description)) {}

  /// A tensor's name without the prefix.
  std::string_view within(std::string_view name) const {
    for (const std::string& part : {prefix.whole(), prefix.wrapper}) {
      if (name.starts_with(part)) return name.substr(part.size());
    }
    return name;
  }

  std::filesystem::path place;
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

/// The tensors that two models have in common.
class ComparedModels {
 public:
  ComparedModels(const std::filesystem::path& rounded, const std::filesystem::path& unrounded)
      : rounded_(rounded), unrounded_(unrounded), otherNames_(unrounded_.found.files.names()) {}

  std::vector<std::string> names() const { return rounded_.found.files.names(); }
  std::string keptAs(const std::string& name) const { return rounded_.found.files.keptAs(name); }
  /// The tensor in both; nothing where only the first has it.
  std::optional<std::pair<Tensor, Tensor>> read(const std::string& name) const {
    const auto other = std::ranges::find_if(otherNames_, [&](const std::string& each) {
      return unrounded_.within(each) == rounded_.within(name);
    });
    if (other == otherNames_.end()) return std::nullopt;
    const WeightFiles &files = rounded_.found.files, &whole = unrounded_.found.files;
    if (files.shape(name) != whole.shape(*other)) {
      throw UserError(fmt::format("{} is {} in {} and {} in {}: compare files of the same model",
                                  name, toString(files.shape(name)), rounded_.place.string(),
                                  toString(whole.shape(*other)), unrounded_.place.string()));
    }
    return std::pair(files.read(name), whole.read(*other));
  }

 private:
  Compared rounded_, unrounded_;
  std::vector<std::string> otherNames_;
};

[[noreturn]] void nothingInCommon(const std::filesystem::path& rounded,
                                  const std::filesystem::path& unrounded) {
  throw UserError(fmt::format("{} and {} have no tensor in common: compare files of the same model",
                              rounded.string(), unrounded.string()));
}

}  // namespace

std::vector<WeightError> weightErrors(const std::filesystem::path& rounded,
                                      const std::filesystem::path& unrounded) {
  const ComparedModels models(rounded, unrounded);
  std::vector<WeightError> errors;
  for (const std::string& name : models.names()) {
    const auto both = models.read(name);
    if (!both) continue;
    WeightError error = errorOf(both->first, both->second);
    error.tensor = name;
    error.type = models.keptAs(name);
    error.shape = both->first.shape();
    errors.push_back(std::move(error));
  }
  if (errors.empty()) nothingInCommon(rounded, unrounded);
  return errors;
}

std::pair<Tensor, Tensor> weightsOfBoth(const std::filesystem::path& rounded,
                                        const std::filesystem::path& unrounded,
                                        const std::string& tensor) {
  auto both = ComparedModels(rounded, unrounded).read(tensor);
  if (!both) nothingInCommon(rounded, unrounded);
  return std::move(*both);
}

}  // namespace headscope::formats
