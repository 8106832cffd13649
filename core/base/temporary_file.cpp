#include "core/base/temporary_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/platform/files.h"

namespace headscope {

namespace fs = std::filesystem;

void failToWriteFile(const fs::path& path, const std::error_code& reason) {
  throw UserError(
      fmt::format("cannot write {}: {}; choose a writable place", path.string(), reason.message()));
}

fs::path fileToReplace(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  // neither there nor missing: a loop of links, a name that is too long
  if (status.type() == fs::file_type::none) failToWriteFile(path, code);
  if (fs::is_directory(status))
    failToWriteFile(path, std::make_error_code(std::errc::is_a_directory));
  if (!fs::is_symlink(path, code) || !fs::exists(status)) return path;
  fs::path target = fs::canonical(path, code);
  if (code) failToWriteFile(path, code);
  return target;
}

TemporaryFile::TemporaryFile(const fs::path& target) {
  constexpr int kAttempts = 100;
  removeDeadTemporariesOf(target);
  std::error_code code;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    path_ = temporaryName(target, attempt);
    code = platform::createFile(path_, lock_);
    if (code != std::errc::file_exists) break;
  }
  if (code) failToWriteFile(target, code);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!renamed_) fs::remove(path_, ignored);
}

void TemporaryFile::renameTo(const fs::path& target) {
  std::error_code code = platform::flushFile(path_);
  std::error_code ignored;
  const fs::file_status old = fs::status(target, ignored);
  if (!code && fs::exists(old)) fs::permissions(path_, old.permissions(), code);
  if (!code) code = platform::replace(path_, target);
  if (code) failToWriteFile(target, code);
  renamed_ = true;
}

}  // namespace headscope
