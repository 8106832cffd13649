// Files for tests: a folder that is removed after use, raw safetensors files, and a check of an
// error's message.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/platform/process.h"

namespace headscope {

class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> made{0};
    const std::string process = std::to_string(platform::processId());
    do {
      path_ = std::filesystem::temp_directory_path() /
              ("headscope-" + process + "-" + std::to_string(++made));
    } while (!std::filesystem::create_directory(path_));
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  /// Windows removes no file that is still open, as some are to the end of a test.
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and gives its path.
  std::filesystem::path file(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The number of a process that does not run.
inline long endedProcess() {
  long id = 1'000'003;
  while (platform::processRuns(id)) ++id;
  return id;
}

inline std::string readAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The bytes of a safetensors file with this header, valid or not, and this number of bytes of
/// data.
inline std::string safetensorsBytes(const std::string& header, std::size_t dataBytes) {
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  return bytes + header + std::string(dataBytes, '\0');
}

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / (name + ".safetensors");
}

/// `run` must throw a UserError whose text contains every one of `parts`.
inline void expectUserErrorWith(const std::function<void()>& run,
                                std::initializer_list<std::string_view> parts) {
  try {
    run();
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const std::string_view part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
    }
    EXPECT_EQ(text.find('\n'), std::string::npos) << "more than one line: " << text;
    return;
  }
  ADD_FAILURE() << "no UserError was thrown";
}

/// By value, so that texts of any length are of one type, and few functions are compiled.
template <typename... Parts>
void expectUserError(const std::function<void()>& run, Parts... parts) {
  expectUserErrorWith(run, {std::string_view(parts)...});
}

}  // namespace headscope
