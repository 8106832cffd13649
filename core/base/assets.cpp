#include "core/base/assets.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace embedded {
std::span<const std::pair<std::string_view, std::string_view>> assets();
}

std::span<const Asset> allAssets() {
  static const std::vector<Asset> assets = [] {
    std::vector<Asset> list;
    for (const auto& [name, data] : embedded::assets()) list.push_back({name, data});
    return list;
  }();
  return assets;
}

std::string_view asset(std::string_view name) {
  const auto assets = allAssets();
  const auto found = std::ranges::find(assets, name, &Asset::name);
  if (found == assets.end()) throw std::out_of_range("no asset " + std::string(name));
  return found->data;
}

}  // namespace headscope
