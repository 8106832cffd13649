#include "core/formats/families/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

const std::vector<const Family*>& allFamilies() {
  static const std::vector<const Family*> all = families();
  return all;
}

}  // namespace

const Family* familyOf(std::string_view modelType) {
  const auto found = std::ranges::find_if(allFamilies(), [&](const Family* family) {
    return std::ranges::find(family->types, modelType) != family->types.end();
  });
  return found == allFamilies().end() ? nullptr : *found;
}

std::string knownTypes() {
  std::vector<std::string_view> types;
  for (const Family* family : allFamilies()) {
    types.insert(types.end(), family->types.begin(), family->types.end());
  }
  std::ranges::sort(types);
  return fmt::format("{}", fmt::join(types, ", "));
}

}  // namespace headscope::formats
