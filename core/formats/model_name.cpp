#include "core/formats/model_name.h"

#include <string_view>
#include <system_error>

namespace headscope::formats {

std::string modelName(const std::filesystem::path& directory) {
  constexpr std::string_view kCached = "models--", kBetween = "--";
  std::error_code code;
  std::filesystem::path folder = std::filesystem::absolute(directory, code).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();  // it ended in a slash
  const std::filesystem::path around = folder.parent_path();
  std::string name = around.parent_path().filename().string();
  if (around.filename() != "snapshots" || !name.starts_with(kCached)) {
    return folder.filename().string();
  }
  name.erase(0, kCached.size());
  for (std::size_t at = 0; (at = name.find(kBetween, at)) != std::string::npos; ++at) {
    name.replace(at, kBetween.size(), "/");
  }
  return name;
}

}  // namespace headscope::formats
