// File flags: compares the files that a command reads and writes before any computation.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

/// The ending of trace files, which also names their format.
inline constexpr std::string_view kTraceEnding = ".safetensors";

class FileFlags {
 public:
  /// Adds an input: a file, or a folder whose files are read. An empty path: the flag is absent.
  void reads(std::string_view flag, const std::filesystem::path& path);
  /// Adds an output. `endings`: those of the formats that the command writes (".png"); empty where
  /// other flags give the format. Devices and pipes need no ending.
  void writes(std::string_view flag, const std::filesystem::path& path,
              const std::vector<std::string_view>& endings);

  /// Throws UserError for an output with a wrong ending or in a folder that does not exist, and for
  /// one that would overwrite an input or a file in an input folder.
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
