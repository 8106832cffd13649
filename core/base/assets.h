// Assets: the files under assets/, embedded into the program at build time. In a browser models are
// not: they lie next to the page and are loaded when they are asked for.
#pragma once

#include <span>
#include <string_view>

namespace headscope {

struct Asset {
  std::string_view name;  // path below assets/, e.g. "presets.json"
  std::string_view data;
};

/// Every embedded asset, sorted by path.
std::span<const Asset> allAssets();
/// Throws std::out_of_range for a missing asset, which is an internal error; in a browser UserError
/// where it cannot be loaded.
std::string_view asset(std::string_view name);

}  // namespace headscope
