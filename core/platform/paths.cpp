#include "core/platform/paths.h"

#include <system_error>

namespace headscope::platform {

namespace fs = std::filesystem;

bool exists(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code);
}

bool isFolder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

bool isRegularFile(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

bool isSameFile(const fs::path& a, const fs::path& b) {
  std::error_code code;
  return fs::equivalent(a, b, code);
}

fs::path absolutePath(const fs::path& path) {
  std::error_code code;
  fs::path whole = fs::absolute(path, code);
  return code ? path : whole;
}

}  // namespace headscope::platform
