// File flags: the files that a command reads and writes, compared before anything is computed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

/// The format of every trace, and the ending of its file.
inline constexpr std::string_view kTraceEnding = ".safetensors";

class FileFlags {
 public:
  /// A file that is read, or a folder whose files are. An empty path: the flag is not given.
  void reads(std::string_view flag, const std::filesystem::path& path);
  /// A file that is written. `endings`: those whose formats the command writes (".png"), or empty
  /// where other flags say the format; devices and pipes need none.
  void writes(std::string_view flag, const std::filesystem::path& path,
              const std::vector<std::string_view>& endings);

  /// Throws UserError for an output of another ending, and for one that would overwrite an input or
  /// a file of a folder that is read.
  void check() const;

 private:
  struct Input {
    std::string flag;
    std::filesystem::path path;
  };
  struct Output {
    std::string flag;
    std::filesystem::path path;
    std::vector<std::string_view> endings;
  };

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace headscope::cli
