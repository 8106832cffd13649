#include "app/session_writer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/translation.h"

namespace headscope {

SessionWriter::Ticket SessionWriter::write(const std::filesystem::path& path,
                                           formats::Session session, double delay,
                                           Replace replace) {
  return add({path, std::move(session), clockSeconds() + delay, replace});
}

void SessionWriter::know(const std::filesystem::path& path, formats::FileContent content) {
  const std::lock_guard lock(mutex_);
  known_[path] = content;
}

void SessionWriter::forgetAllBut(const std::set<std::filesystem::path>& paths) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& file) { return !paths.contains(file.first); });
}

std::size_t SessionWriter::knownFiles() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

std::optional<formats::FileContent> SessionWriter::known(const std::filesystem::path& path) const {
  const auto found = known_.find(path);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void SessionWriter::remove(const std::filesystem::path& path) {
  add({path, std::nullopt, clockSeconds()});
}

SessionWriter::Ticket SessionWriter::add(Job job) {
  const std::lock_guard lock(mutex_);
  const Ticket ticket = job.ticket = ++lastTicket_;
  const auto same = std::find_if(jobs_.begin(), jobs_.end(),
                                 [&](const Job& other) { return other.path == job.path; });
  if (same != jobs_.end()) {
    job.due = std::min(job.due, same->due);
    std::swap(*same, job);
  } else {
    jobs_.push_back(std::move(job));
  }
  done_.reserve(done_.size() + jobs_.size() + 1);  // so that reporting needs no memory
  requestNext();
  return ticket;
}

void SessionWriter::requestNext() {
  if (jobs_.empty()) return;
  runner_.request([this](const std::atomic<bool>&) { return runNext(); },
                  nextJob()->due - clockSeconds());
}

std::optional<SessionWriter::Done> SessionWriter::take() {
  const std::lock_guard lock(mutex_);
  if (done_.empty()) return std::nullopt;
  Done first = std::move(done_.front());
  done_.erase(done_.begin());
  return first;
}

void SessionWriter::wait(bool hurry) {
  if (hurry) {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs_) job.due = 0.0;
    requestNext();
  }
  runner_.wait();
}

std::vector<SessionWriter::Job>::iterator SessionWriter::nextJob() {
  return std::min_element(jobs_.begin(), jobs_.end(),
                          [](const Job& a, const Job& b) { return a.due < b.due; });
}

std::string SessionWriter::save(Job& job) {
  std::optional<formats::FileContent> expected;
  {
    const std::lock_guard lock(mutex_);
    if (job.replace == Replace::unchanged) expected = known(job.path);
    if (!job.session->origin.empty()) {
      job.session->originContent = known(job.session->origin);
    }
  }
  formats::SessionSaved saved = formats::saveSession(job.path, *job.session, expected);
  know(job.path, saved.content);
  return std::move(saved.leftOut);
}

TaskRunner::After SessionWriter::runNext() {
  Job job;
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return TaskRunner::After::rest;
    const auto next = nextJob();
    job = std::move(*next);
    jobs_.erase(next);
  }
  Done done{{}, job.ticket, !job.session, {}};
  try {
    if (job.session) {
      done.leftOut = save(job);
    } else {
      formats::removeSession(job.path);
    }
  } catch (const formats::SessionChanged& failure) {
    done.changed = true;
    done.error = failure.what();
  } catch (const UserError& failure) {
    done.error = failure.what();
  } catch (const std::exception& failure) {
    done.error = tr("cannot save ") + job.path.string() + ": " + sentenceFor(failure);
  }
  done.path = std::move(job.path);
  job = {};  // may destroy the last reference to a document
  const std::lock_guard lock(mutex_);
  done_.push_back(std::move(done));
  requestNext();
  return TaskRunner::After::news;
}

}  // namespace headscope
