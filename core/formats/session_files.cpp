#include "core/formats/session_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/formats/session.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTensorsEnding = ".safetensors";
constexpr std::size_t kHashDigits = 16;

bool isHash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "NAME.<hash>.safetensors".
bool isTensorsOf(std::string_view file, const std::string& name) {
  const std::size_t size = name.size() + 1 + kHashDigits + kTensorsEnding.size();
  return file.size() == size && file.starts_with(name + ".") && file.ends_with(kTensorsEnding) &&
         isHash(file.substr(name.size() + 1, kHashDigits));
}

/// One of the session's two files, begun by a process that is gone ("….tmp-<pid>-<n>").
bool isDeadTemporary(std::string_view file, const fs::path& session, const std::string& name) {
  const std::size_t mark = file.rfind(".tmp-");
  if (mark == std::string_view::npos) return false;
  const std::string_view target = file.substr(0, mark);
  if (target != session.filename().string() && !isTensorsOf(target, name)) return false;
  const std::string_view pid = file.substr(mark + 5);
  int process = 0;
  const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), process);
  const bool whole = error == std::errc() && end != pid.data() + pid.size() && *end == '-';
  return whole && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// What is too large to be read may name it.
bool names(const fs::path& session, const std::string& file) {
  std::error_code code;
  if (!fs::is_regular_file(session, code)) return false;
  if (fs::file_size(session, code) > kMaxSessionBytes || code) return true;
  std::ifstream in(session, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find('"' + file + '"') != std::string::npos;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Kind kind)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  while (::flock(descriptor_, kind == Kind::shared ? LOCK_SH : LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FolderLock::flush() const {
  if (descriptor_ >= 0) ::fsync(descriptor_);
}

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string tensorsName(const fs::path& session, std::uint64_t hash) {
  return fmt::format("{}.{:016x}{}", sessionName(session), hash, kTensorsEnding);
}

void removeLeftovers(const fs::path& session, const std::string& keep) {
  const std::string name = sessionName(session);
  std::vector<fs::path> candidates;
  std::vector<fs::path> others;
  std::error_code code;
  for (fs::directory_iterator at(folderOf(session), code), end; !code && at != end;
       at.increment(code)) {
    const std::string file = at->path().filename().string();
    if (isDeadTemporary(file, session, name)) fs::remove(at->path(), code);
    if (file != keep && isTensorsOf(file, name)) candidates.push_back(at->path());
    if (isSession(at->path()) && file != session.filename()) others.push_back(at->path());
  }
  for (const fs::path& candidate : candidates) {
    const std::string file = candidate.filename().string();
    const bool named = std::any_of(others.begin(), others.end(),
                                   [&](const fs::path& other) { return names(other, file); });
    if (!named) fs::remove(candidate, code);
  }
}

}  // namespace headscope::formats
