// Paths: questions to the file system that never throw. A name that is too long, a loop of links
// and an inaccessible folder count as a path that does not exist.
#pragma once

#include <filesystem>

namespace headscope::platform {

bool exists(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);
bool isRegularFile(const std::filesystem::path& path);

/// Returns whether both paths lead to one file, also through links or hard links.
bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b);

/// The absolute path; the path itself where the current folder no longer exists.
std::filesystem::path absolutePath(const std::filesystem::path& path);

}  // namespace headscope::platform
