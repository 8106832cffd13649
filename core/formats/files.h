// Files: one from anywhere, opened to be read; and one that appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace headscope::formats {

struct InputFile {
  std::ifstream stream;
  std::uint64_t bytes = 0;
};

/// Throws UserError for what is not there, may not be read, or has no end to read to: folders,
/// pipes and devices. Those are never opened, as a pipe would keep the program waiting.
InputFile openInput(const std::filesystem::path& path);

/// All of a file. Throws UserError as openInput does, and for more than `mostBytes`: "PATH is not a
/// usable KIND: it is larger than 64 MiB; open another".
std::string readText(const std::filesystem::path& path, std::uintmax_t mostBytes,
                     std::string_view kind);

/// Written beside, flushed, renamed. Throws UserError naming the path and the system's reason; what
/// was there before stays.
void writeAtomically(const std::filesystem::path& path,
                     const std::function<void(std::ostream&)>& write);

}  // namespace headscope::formats
