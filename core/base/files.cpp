#include "core/base/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/file_error.h"
#include "core/base/temporary_file.h"
#include "core/platform/files.h"
#include "core/platform/paths.h"
#include "core/platform/process.h"

namespace headscope {

namespace fs = std::filesystem;

InputFile openInput(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  InputFile file;
  std::string reason;
  if (!fs::exists(status)) {
    std::error_code unread;
    const fs::path target = fs::read_symlink(path, unread);
    reason = !unread ? fmt::format("it is a link to {}, which does not exist", target.string())
             : code  ? code.message()
                     : "there is no such file";
  } else if (fs::is_directory(status)) {
    reason = "it is a folder";
  } else if (!fs::is_regular_file(status)) {
    reason = "it is a pipe or a device, not a file";
  } else {
    file.bytes = fs::file_size(path, code);
    if (!code) file.stream = platform::openToRead(path);
    if (!file.stream.is_open())
      reason = code ? code.message() : "you have no permission to read it";
  }
  if (reason.empty()) return file;
  throw FileError(fmt::format("cannot read {}: {}; check the path", path.string(), reason));
}

std::string readText(const fs::path& path, std::uintmax_t mostBytes, std::string_view kind) {
  InputFile file = openInput(path);
  if (file.bytes > mostBytes) {
    throw FileError(fmt::format("{} is not a usable {}: it is larger than {} MiB; open another",
                                path.string(), kind, mostBytes >> 20));
  }
  std::string text(static_cast<std::size_t>(file.bytes), '\0');
  file.stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.stream.gcount())));
  if (const auto instead = lfsPointer(text)) {
    throw FileError(fmt::format("{} {}", path.string(), *instead));
  }
  return text;
}

// The stamp is taken before the file is opened, so that a change in between is noticed.
UnchangedFile::UnchangedFile(const fs::path& path) : path_(path), opened_(stampOf(path)) {
  InputFile file = openInput(path);
  bytes_ = file.bytes;
  stream_ = std::move(file.stream);
}

std::optional<UnchangedFile::Stamp> UnchangedFile::stampOf(const fs::path& path) {
  std::error_code code;
  Stamp stamp;
  stamp.bytes = fs::file_size(path, code);
  if (!code) stamp.written = fs::last_write_time(path, code);
  return code ? std::nullopt : std::optional(stamp);
}

bool UnchangedFile::changed() const {
  const std::optional<Stamp> now = stampOf(path_);
  return now && now != opened_;
}

void UnchangedFile::read(std::uint64_t offset, std::span<char> to) const {
  const std::lock_guard lock(mutex_);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(to.data(), static_cast<std::streamsize>(to.size()));
  // checked after reading: bytes read before a change belong to the opened file
  if (changed()) {
    throw UserError(fmt::format("{} has changed on the disk since it was opened: open it again",
                                path_.string()));
  }
  if (!stream_) {
    throw UserError(fmt::format("{} cannot be read to its end: check its disk", path_.string()));
  }
}

namespace {

void writeTo(const fs::path& name, const fs::path& path,
             const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(name, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.flush();
  if (!out) failToWriteFile(path, {errno == 0 ? EIO : errno, std::generic_category()});
}

}  // namespace

void writeAtomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path target = fileToReplace(path);
  if (platform::exists(target) && !platform::isRegularFile(target)) {
    writeTo(path, path, write);  // a pipe or device is not replaced
    return;
  }
  TemporaryFile temporary(target);
  writeTo(temporary.path(), path, write);
  temporary.renameTo(target);
}

namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";

}  // namespace

fs::path temporaryName(const fs::path& target, int number) {
  return fmt::format("{}{}{}-{}", target.string(), kTemporaryMark, platform::processId(), number);
}

std::string_view targetOfDeadTemporary(std::string_view name) {
  const std::size_t mark = name.rfind(kTemporaryMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view process = name.substr(mark + kTemporaryMark.size());
  long id = 0;
  const char* end = process.data() + process.size();
  const auto [rest, error] = std::from_chars(process.data(), end, id);
  const std::string_view number = name.substr(static_cast<std::size_t>(rest - name.data()));
  const bool ours = error == std::errc() && id > 0 && number.size() > 1 && number.front() == '-' &&
                    number.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return ours && !platform::processRuns(id) ? name.substr(0, mark) : std::string_view();
}

void removeDeadTemporary(const fs::path& temporary) {
  std::error_code code;
  const auto lock = platform::FileLock::tryNow(temporary, false, code);
  if (lock == nullptr) return;
  platform::isFolder(temporary) ? void(fs::remove_all(temporary, code))
                                : void(fs::remove(temporary, code));
}

void removeDeadTemporariesOf(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string name = target.filename().string();
  for (const std::string& file : platform::namesIn(folder)) {
    if (targetOfDeadTemporary(file) == name) removeDeadTemporary(folder / file);
  }
}

OutputFolder::OutputFolder(const fs::path& folder) {
  std::error_code code;
  const auto missing = [&](const fs::path& path) {  // a link that leads nowhere is not
    return !path.empty() && fs::symlink_status(path, code).type() == fs::file_type::not_found;
  };
  for (fs::path at = folder; missing(at); at = at.parent_path()) {
    if (at.has_filename()) made_.push_back(at);
  }
  fs::create_directories(folder, code);
  if (!code) return;
  std::error_code ignored;
  for (const fs::path& made : made_) fs::remove(made, ignored);
  throw UserError(fmt::format("cannot make the folder {}: {}; choose a writable place",
                              folder.string(), code.message()));
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!made_.empty()) fs::remove_all(made_.front(), ignored);
  for (const fs::path& made : made_) fs::remove(made, ignored);
}

}  // namespace headscope
