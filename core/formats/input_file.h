// Input file: a file from anywhere, opened to be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace headscope::formats {

struct InputFile {
  std::ifstream stream;
  std::uint64_t bytes = 0;
};

/// Throws UserError for what is not there, may not be read, or has no end to read to: folders,
/// pipes and devices. Those are never opened, as a pipe would keep the program waiting.
InputFile openInput(const std::filesystem::path& path);

}  // namespace headscope::formats
