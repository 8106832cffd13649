#include "core/model/model_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/base/utf8.h"

namespace headscope::model {
namespace {

constexpr std::size_t kMostNamed = 4;    // tensors in one sentence
constexpr std::size_t kMostValue = 200;  // bytes of a field's value in a sentence

std::string shortened(const std::string& value) {
  return value.size() <= kMostValue ? value : excerpt(value, kMostValue) + " …";
}

}  // namespace

bool ModelNotes::empty() const {
  return unknownFields.empty() && unusedTensors.empty() && files.empty();
}

std::vector<std::string> ModelNotes::sentences() const {
  std::vector<std::string> all;
  for (const Field& field : unknownFields) {
    all.push_back(trFormat("config.json: {} is {}, an unknown field that this program ignores",
                           field.name, shortened(field.value)));
  }
  if (!unusedTensors.empty()) {
    const std::size_t named = std::min(kMostNamed, unusedTensors.size());
    const std::size_t more = unusedTensors.size() - named;
    all.push_back(trFormat("{}{} {} in the weights and not used",
                           fmt::join(std::span(unusedTensors).first(named), ", "),
                           more > 0 ? trFormat(" and {} more", more) : "",
                           unusedTensors.size() == 1 ? "is" : "are"));
  }
  all.insert(all.end(), files.begin(), files.end());
  return all;
}

void refuseNotes(const ModelNotes& notes, const std::string& folder) {
  if (notes.empty()) return;
  throw UserError(trFormat("{}: {}; leave --strict out to open it all the same", folder,
                           notes.sentences().front()));
}

}  // namespace headscope::model
