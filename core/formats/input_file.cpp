#include "core/formats/input_file.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"

namespace headscope::formats {

namespace fs = std::filesystem;

InputFile openInput(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  InputFile file;
  std::string reason;
  if (!fs::exists(status)) {
    reason = code ? code.message() : "there is no such file";
  } else if (fs::is_directory(status)) {
    reason = "it is a folder";
  } else if (!fs::is_regular_file(status)) {
    reason = "it is a pipe or a device, not a file";
  } else {
    file.bytes = fs::file_size(path, code);
    if (!code) file.stream.open(path, std::ios::binary);
    if (!file.stream.is_open()) reason = code ? code.message() : "you may not read it";
  }
  if (reason.empty()) return file;
  throw UserError(fmt::format("cannot read {}: {}; check the path", path.string(), reason));
}

}  // namespace headscope::formats
