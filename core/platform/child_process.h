// Child process: another program that runs in parallel and reads what this one writes. One is
// started for a film as an MP4 file (app/host/film_mp4.cpp) and for the desktop's own file dialog
// (desktop_dialog.h).
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope::platform {

/// Returns the path of an installed program, by its name without an ending. Empty where it is not
/// installed, and on systems where no program is started.
std::filesystem::path findProgram(const std::string& name);

class ChildProcess {
 public:
  /// Starts a program with these arguments. Its standard input is what is written to it.
  /// Null where it does not start.
  static std::unique_ptr<ChildProcess> start(const std::filesystem::path& program,
                                             const std::vector<std::string>& arguments);
  /// Ends the program, unless it has ended.
  virtual ~ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Returns false where the program no longer reads.
  virtual bool write(std::span<const char> bytes) = 0;
  /// Closes its input and waits for its end. Returns whether it ended with status 0.
  virtual bool finish() = 0;
  /// Returns whether it has ended, without waiting for it.
  virtual bool ended() = 0;
  /// The beginnings of its standard output and standard error, some kilobytes at most.
  virtual std::string output() const = 0;
  virtual std::string errors() const = 0;

 protected:
  ChildProcess() = default;
};

}  // namespace headscope::platform
