// Paths: questions to the file system that never throw. A name that is too long, a loop of links
// and a folder that may not be entered are answered as a path where nothing is.
#pragma once

#include <filesystem>

namespace headscope::platform {

bool exists(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);
bool isRegularFile(const std::filesystem::path& path);

/// True where both lead to one file, by whatever names, links or hard links.
bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b);

/// From the root on; the path itself where the current folder is gone.
std::filesystem::path absolutePath(const std::filesystem::path& path);

}  // namespace headscope::platform
