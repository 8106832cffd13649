// Session writer: a thread that saves sessions, so that no frame waits for a disk. Of what is
// wanted for one path the newest wins.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/event_loop_queue.h"
#include "core/formats/session.h"

namespace headscope {

class SessionWriter {
 public:
  using Ticket = std::uint64_t;  // of a wish: later ones are larger, none is 0
  struct Done {
    std::filesystem::path path;
    Ticket ticket = 0;      // of the newest wish it has fulfilled
    bool removed = false;   // … rather than written
    std::string error;      // why it was not
    bool changed = false;   // … it holds what somebody else has saved
    std::string leftOut{};  // what of the session could not be kept
  };
  /// Which file is replaced without asking: any; or one that holds what was read from it or written
  /// to it here last, or of which nothing is known.
  enum class Replace { any, unchanged };

  SessionWriter() = default;
  /// Finishes what is wanted.
  ~SessionWriter();
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  /// `wake` is called from the thread after each file.
  void setWake(std::function<void()> wake);

  /// Saves within `delay` seconds, or by when an earlier wish for the path was due.
  Ticket write(const std::filesystem::path& path, formats::Session session, double delay = 0.0,
               Replace replace = Replace::any);
  void remove(const std::filesystem::path& path);

  /// What the file held when it was read here. Autosaves keep it of their session's own file.
  void know(const std::filesystem::path& path, formats::FileContent content);

  /// What has been done since the last call, one at a time.
  std::optional<Done> take();
  /// Waits until all is done; `hurry`: without the delays.
  void wait(bool hurry);

 private:
  struct Job {
    std::filesystem::path path;
    std::optional<formats::Session> session;  // none: to be removed
    double due = 0.0;
    Replace replace = Replace::any;
    Ticket ticket = 0;
  };
  Ticket add(Job job);
  void loop();
  std::vector<Job>::iterator nextJob();
  /// Does the next; `lock` holds mutex_ before and after.
  void runNext(std::unique_lock<std::mutex>& lock);
  /// Gives what could not be kept. Throws as saveSession does.
  std::string save(Job& job);
  /// What the file held when it was read or written here last.
  std::optional<formats::FileContent> known(const std::filesystem::path& path) const;

  std::mutex wakeMutex_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> jobs_;
  std::vector<Done> done_;
  std::map<std::filesystem::path, formats::FileContent> known_;
  Ticket lastTicket_ = 0;
  bool running_ = false;
  bool hurry_ = false;
  bool stopping_ = false;
#ifdef HEADSCOPE_NO_THREADS
  EventLoopQueue later_;
#else
  std::thread thread_;  // from the first job on
#endif
};

}  // namespace headscope
