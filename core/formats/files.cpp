#include "core/formats/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
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

std::string readText(const fs::path& path, std::uintmax_t mostBytes, std::string_view kind) {
  InputFile file = openInput(path);
  if (file.bytes > mostBytes) {
    throw UserError(fmt::format("{} is not a usable {}: it is larger than {} MiB; open another",
                                path.string(), kind, mostBytes >> 20));
  }
  std::string text(static_cast<std::size_t>(file.bytes), '\0');
  file.stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.stream.gcount())));
  return text;
}

namespace {

[[noreturn]] void failToWriteFile(const fs::path& path, int reason) {
  throw UserError(fmt::format("cannot write {}: {}; choose a place that can be written to",
                              path.string(), std::strerror(reason == 0 ? EIO : reason)));
}

/// A new file beside the target, removed unless it was renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) {
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
      name_ = fmt::format("{}.tmp-{}-{}", target.string(), ::getpid(), attempt);
      descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) failToWriteFile(target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    ::close(descriptor_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  const std::string& name() const { return name_; }

  void renameTo(const fs::path& target) {
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 07777) != 0) {
      failToWriteFile(target, errno);
    }
    if (::fsync(descriptor_) != 0) failToWriteFile(target, errno);
    if (::rename(name_.c_str(), target.c_str()) != 0) failToWriteFile(target, errno);
    renamed_ = true;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

void writeTo(const std::string& name, const fs::path& path,
             const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(name, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.flush();
  if (!out) failToWriteFile(path, errno);
}

}  // namespace

void writeAtomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) failToWriteFile(path, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a pipe or device stays what it is
    writeTo(path.string(), path, write);
    return;
  }
  fs::path target = path;  // through a link, the file it points to is replaced, not the link
  if (fs::is_symlink(path, ignored) && fs::exists(status)) target = fs::canonical(path);

  TemporaryFile temporary(target);
  writeTo(temporary.name(), path, write);
  temporary.renameTo(target);
}

}  // namespace headscope::formats
