#include "app/session_writer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/execution.h"

namespace headscope {

SessionWriter::~SessionWriter() {
  wait(true);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
#ifndef HEADSCOPE_NO_THREADS
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
#endif
}

void SessionWriter::setWake(std::function<void()> wake) {
  const std::lock_guard lock(wakeMutex_);
  wake_ = std::move(wake);
}

SessionWriter::Ticket SessionWriter::write(const std::filesystem::path& path,
                                           formats::Session session, double delay,
                                           Replace replace) {
  return add({path, std::move(session), clockSeconds() + delay, replace});
}

void SessionWriter::know(const std::filesystem::path& path, formats::FileContent content) {
  const std::lock_guard lock(mutex_);
  known_[path] = content;
}

std::optional<formats::FileContent> SessionWriter::known(const std::filesystem::path& path) const {
  const auto found = known_.find(path);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void SessionWriter::remove(const std::filesystem::path& path) {
  add({path, std::nullopt, clockSeconds()});
}

SessionWriter::Ticket SessionWriter::add(Job job) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = job.ticket = ++lastTicket_;
    const auto same = std::find_if(jobs_.begin(), jobs_.end(),
                                   [&](const Job& other) { return other.path == job.path; });
    if (same != jobs_.end()) {
      job.due = std::min(job.due, same->due);
      std::swap(*same, job);
    } else {
      jobs_.push_back(std::move(job));
    }
    done_.reserve(done_.size() + jobs_.size() + 1);  // so that reporting needs no memory
#ifdef HEADSCOPE_NO_THREADS
    later_.call(std::max(nextJob()->due - clockSeconds(), 0.0), [this] {
      std::unique_lock lock(mutex_);
      if (!jobs_.empty() && nextJob()->due <= clockSeconds()) runNext(lock);
    });
#else
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
#endif
  }
  changed_.notify_all();
  return ticket;
}

std::optional<SessionWriter::Done> SessionWriter::take() {
  const std::lock_guard lock(mutex_);
  if (done_.empty()) return std::nullopt;
  Done first = std::move(done_.front());
  done_.erase(done_.begin());
  return first;
}

void SessionWriter::wait(bool hurry) {
  std::unique_lock lock(mutex_);
#ifdef HEADSCOPE_NO_THREADS
  while (!jobs_.empty()) runNext(lock);
#endif
  hurry_ = hurry;
  changed_.notify_all();
  changed_.wait(lock, [this] { return jobs_.empty() && !running_; });
  hurry_ = false;
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

void SessionWriter::runNext(std::unique_lock<std::mutex>& lock) {
  const auto next = nextJob();
  Job job = std::move(*next);
  jobs_.erase(next);
  running_ = true;
  lock.unlock();
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
    done.error = "cannot save " + job.path.string() + ": " + sentenceFor(failure);
  }
  done.path = std::move(job.path);
  job = {};  // may destroy the last reference to a document
  lock.lock();
  done_.push_back(std::move(done));
  running_ = false;
  lock.unlock();
  changed_.notify_all();
  {
    const std::lock_guard wake(wakeMutex_);
    if (wake_) wake_();
  }
  lock.lock();
}

void SessionWriter::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const double early = nextJob()->due - clockSeconds();
    if (early > 0.0 && !hurry_) {
      changed_.wait_for(lock, std::chrono::duration<double>(early));
    } else {
      runNext(lock);
    }
  }
}

}  // namespace headscope
