#include "core/platform/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace headscope::platform {
namespace {

namespace fs = std::filesystem;

/// Keeps this thread from being ended by a pipe that nobody reads; writing then fails instead.
class HoldsPipeSignal {
 public:
  HoldsPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pending_ = isPending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~HoldsPipeSignal() {
    int taken = 0;
    if (!pending_ && isPending()) ::sigwait(&pipe_, &taken);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  HoldsPipeSignal(const HoldsPipeSignal&) = delete;
  HoldsPipeSignal& operator=(const HoldsPipeSignal&) = delete;

 private:
  static bool isPending() {
    sigset_t now;
    ::sigpending(&now);
    return sigismember(&now, SIGPIPE) == 1;
  }

  sigset_t pipe_{}, before_{};
  bool pending_ = false;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// A file of this process alone, which goes when it is closed. Null where there is no room for it.
using TemporaryFile = std::unique_ptr<std::FILE, FileCloser>;

std::string beginningOf(const TemporaryFile& file) {
  std::string text(4096, '\0');
  const ssize_t read = ::pread(::fileno(file.get()), text.data(), text.size(), 0);
  text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return text;
}

class PosixChild final : public ChildProcess {
 public:
  PosixChild(pid_t id, int input, TemporaryFile output, TemporaryFile errors)
      : id_(id), input_(input), output_(std::move(output)), errors_(std::move(errors)) {}
  ~PosixChild() override {
    closeInput();
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      await(0);
    }
  }
  PosixChild(const PosixChild&) = delete;
  PosixChild& operator=(const PosixChild&) = delete;

  bool write(std::span<const char> bytes) override {
    const HoldsPipeSignal held;
    while (!bytes.empty()) {
      const ssize_t written = ::write(input_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }

  bool finish() override {
    closeInput();
    await(0);
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  }

  bool ended() override {
    await(WNOHANG);
    return id_ < 0;
  }

  std::string output() const override { return beginningOf(output_); }
  std::string errors() const override { return beginningOf(errors_); }

 private:
  void closeInput() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }
  /// Waits for its end, or looks whether it has ended (WNOHANG), and keeps its status.
  void await(int options) {
    pid_t ended = -1;
    while (id_ > 0 && (ended = ::waitpid(id_, &status_, options)) < 0 && errno == EINTR) {
    }
    if (ended != 0) id_ = -1;
  }

  pid_t id_;  // -1: it has ended
  int input_;
  int status_ = -1;
  TemporaryFile output_, errors_;
};

}  // namespace

fs::path findProgram(const std::string& name) {
  const char* folders = std::getenv("PATH");
  std::string_view left = folders != nullptr ? folders : "";
  while (!left.empty()) {
    const std::size_t end = left.find(':');
    const fs::path folder(left.substr(0, end));
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    const fs::path program = folder / name;
    std::error_code code;
    // a relative folder would find a program that came with somebody's files
    if (folder.is_absolute() && fs::is_regular_file(program, code) &&
        ::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

std::unique_ptr<ChildProcess> ChildProcess::start(const fs::path& program,
                                                  const std::vector<std::string>& arguments) {
  std::string name = program.string();
  std::vector<std::string> words = arguments;
  std::vector<char*> list{name.data()};
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);

  TemporaryFile output(std::tmpfile()), errors(std::tmpfile());
  int ends[2] = {-1, -1};
  if (output == nullptr || errors == nullptr || ::pipe(ends) != 0) return nullptr;
  for (const int file : {ends[0], ends[1], ::fileno(output.get()), ::fileno(errors.get())}) {
    ::fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(output.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(errors.get()), STDERR_FILENO);
  pid_t id = -1;
  const int failure = ::posix_spawn(&id, name.c_str(), &files, nullptr, list.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(ends[0]);
  if (failure == 0) {
    return std::make_unique<PosixChild>(id, ends[1], std::move(output), std::move(errors));
  }
  ::close(ends[1]);
  return nullptr;
}

}  // namespace headscope::platform
