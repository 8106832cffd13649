#include "app/cli/file_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "core/base/error.h"
#include "core/platform/paths.h"

namespace headscope::cli {
namespace {

namespace fs = std::filesystem;

bool endsIn(const fs::path& path, std::string_view ending) {
  const std::string own = path.extension().string();
  return std::ranges::equal(own, ending, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

void requireEnding(const std::string& flag, const fs::path& path,
                   const std::vector<std::string_view>& endings) {
  const bool special = platform::exists(path) && !platform::isRegularFile(path) &&
                       !platform::isFolder(path);  // a device or a pipe
  const auto fits = [&](std::string_view ending) { return endsIn(path, ending); };
  if (special || endings.empty() || std::ranges::any_of(endings, fits)) return;
  throw UserError(fmt::format("{} {}: the name must end in {}, the written format", flag,
                              path.string(), fmt::join(endings, " or ")));
}

/// Returns whether `output` is `input` or a file in that folder.
bool takesPlaceOf(const fs::path& output, const fs::path& input) {
  if (!platform::isFolder(input)) return platform::isSameFile(output, input);
  std::error_code code;
  for (fs::directory_iterator at(input, code), end; !code && at != end; at.increment(code)) {
    if (platform::isSameFile(output, at->path())) return true;
  }
  return false;
}

}  // namespace

void FileFlags::reads(std::string_view flag, const fs::path& path) {
  if (!path.empty()) inputs_.push_back({std::string(flag), path});
}

void FileFlags::writes(std::string_view flag, const fs::path& path,
                       const std::vector<std::string_view>& endings) {
  if (!path.empty()) outputs_.push_back({std::string(flag), path, endings});
}

void FileFlags::check() const {
  for (const Output& output : outputs_) {
    requireEnding(output.flag, output.path, output.endings);
    const fs::path folder = output.path.parent_path();
    if (!folder.empty() && !platform::isFolder(folder)) {
      throw UserError(fmt::format("{} {}: there is no folder {}: create it, or name another file",
                                  output.flag, output.path.string(), folder.string()));
    }
    if (!platform::isRegularFile(output.path)) continue;  // no file would be replaced
    for (const Input& input : inputs_) {
      if (!takesPlaceOf(output.path, input.path)) continue;
      throw UserError(fmt::format(
          "{} {} would overwrite {} that {} reads: name another file", output.flag,
          output.path.string(),
          platform::isFolder(input.path) ? "a file of the folder" : "the file", input.flag));
    }
  }
}

}  // namespace headscope::cli
