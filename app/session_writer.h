// Session writer: saves sessions in the background, so that no frame waits for a disk. The newest
// request for a path replaces older ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/scheduler.h"
#include "core/formats/session.h"

namespace headscope {

class SessionWriter {
 public:
  using Ticket = std::uint64_t;  // identifies a request; increasing, never 0
  struct Done {
    std::filesystem::path path;
    Ticket ticket = 0;      // the newest request that is fulfilled
    bool removed = false;   // the file was removed, not written
    std::string error;      // why the request failed
    bool changed = false;   // the request failed because another process has saved the file
    std::string leftOut{};  // the parts of the session that could not be saved
  };
  /// The files that are replaced without asking: `any`; or, with `unchanged`, those whose content
  /// was last read or written here, or is unknown.
  enum class Replace { any, unchanged };

  explicit SessionWriter(Scheduler& scheduler) : runner_(scheduler, Priority::save) {}
  /// Finishes all requests.
  ~SessionWriter() { wait(true); }
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  /// Sets `wake`, which another thread calls after each file.
  void setWake(std::function<void()> wake) { runner_.setWake(std::move(wake)); }

  /// Saves within `delay` seconds, or at the due time of an earlier request for the path.
  Ticket write(const std::filesystem::path& path, formats::Session session, double delay = 0.0,
               Replace replace = Replace::any);
  void remove(const std::filesystem::path& path);

  /// Records the content of the file when it was read. Autosaves store that of their session's own
  /// file.
  void know(const std::filesystem::path& path, formats::FileContent content);

  /// Forgets the content of all files but these.
  void forgetAllBut(const std::set<std::filesystem::path>& paths);
  /// The number of files whose content is known.
  std::size_t knownFiles() const;

  /// Returns the next finished request, one at a time.
  std::optional<Done> take();
  /// Waits until all requests are done; `hurry`: without the delays.
  void wait(bool hurry);

 private:
  struct Job {
    std::filesystem::path path;
    std::optional<formats::Session> session;  // none: the file is to be removed
    double due = 0.0;
    Replace replace = Replace::any;
    Ticket ticket = 0;
  };
  Ticket add(Job job);
  std::vector<Job>::iterator nextJob();
  /// Requests the next job from the scheduler; mutex_ is locked.
  void requestNext();
  /// Runs the next job.
  TaskRunner::After runNext();
  /// Saves a session. Returns the parts that could not be saved. Throws as saveSession does.
  std::string save(Job& job);
  /// The content of the file when it was last read or written here.
  std::optional<formats::FileContent> known(const std::filesystem::path& path) const;

  mutable std::mutex mutex_;
  std::vector<Job> jobs_;
  std::vector<Done> done_;
  std::map<std::filesystem::path, formats::FileContent> known_;
  Ticket lastTicket_ = 0;
  TaskRunner runner_;  // last: destroyed before the members that it uses
};

}  // namespace headscope
