#include "core/base/assets.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/platform/page.h"

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

namespace {

/// An asset that lies next to the page, kept once it is loaded.
std::string_view assetOfPage(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::string> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(name); found != loaded.end()) return found->second;
  auto bytes = platform::loadFromPage(name);
  if (!bytes) {
    throw UserError(name + " could not be loaded from the page's folder: is there a network?");
  }
  return loaded.emplace(name, std::move(*bytes)).first->second;
}

}  // namespace

std::string_view asset(std::string_view name) {
  const auto assets = allAssets();
  const auto found = std::ranges::find(assets, name, &Asset::name);
  if (found != assets.end()) return found->data;
  if (platform::kInPage && name.starts_with("models/")) return assetOfPage(std::string(name));
  throw std::out_of_range("no asset " + std::string(name));
}

}  // namespace headscope
