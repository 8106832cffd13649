// Computed: values that panels request in each frame and that the scheduler computes: measures of
// several heads, figures of a card. One registry holds them all, so that waking the window, waiting
// and cancelling are done in one place.
//
// A panel requests a value by its name and the key of all it depends on. Until the value of the
// newest key is ready, the last one is returned, or none. A newer key stops the work for an older
// one.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/background_task.h"
#include "app/ui/parts/fingerprint.h"
#include "core/base/execution.h"
#include "core/base/index.h"

namespace headscope::ui {

/// A value as far as it is computed, the same for all callers in one frame. Valid until the next
/// frame.
template <typename Result>
struct Computed {
  const Result* last = nullptr;     // the value of this key or of an earlier one; null: none yet
  const Result* current = nullptr;  // the value of this key; null while it is being computed
  std::string_view problem;         // the reason why this key has no value; empty: none
  Index unitsDone = 0;              // of the work for the newest key
};

/// When and where a value is computed.
enum class Schedule {
  background,  // on another thread
  now,         // within the frame: small work, whose result would otherwise come a frame late
  whenIdle,    // as background, but not during a drag or typing: for work longer than a pass
  never,       // returns the last value, since other work comes first
};

class Computations {
 public:
  static constexpr std::string_view kStopped = "stopped";

  explicit Computations(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Returns the value of that name. Where it has to be computed, `makeWork` is called; it returns
  /// the BackgroundTask's Work with all that it reads, or its NextUnit where the work has several
  /// units. Either may throw UserError.
  template <typename Result, typename MakeWork>
  Computed<Result> request(std::string_view name, const Fingerprint& key, Schedule schedule,
                           const MakeWork& makeWork) {
    return entry<Result>(name).request(key, schedule, handMoves_,
                                       [&] { return unitsIn<Result>(makeWork()); });
  }

  /// Returns the last value, of any key; null: none yet. Valid until the next frame.
  template <typename Result>
  const Result* last(std::string_view name) {
    return entry<Result>(name).last();
  }

  /// Computes small work within the frame and returns the value, or null where it threw.
  template <typename Result, typename Compute>
  const Result* computeNow(std::string_view name, const Fingerprint& key, const Compute& compute) {
    const auto makeWork = [&] {
      return [&](const std::atomic<bool>&) { return std::optional<Result>(compute()); };
    };
    return request<Result>(name, key, Schedule::now, makeWork).current;
  }

  /// Stops the work for a value and does not begin it again for this key: `problem` says so.
  void stop(std::string_view name) { withEntry(name, &Base::stopThisKey); }
  /// Lets the next request of a value begin its work, whatever its key.
  void forget(std::string_view name) { withEntry(name, &Base::forget); }

  /// Begins a frame, which uses the values that are ready by now. `handMoves`: during a drag or
  /// typing, so that work of Schedule::whenIdle waits.
  void beginFrame(bool handMoves) {
    handMoves_ = handMoves;
    for (auto& [name, entry] : entries_) entry->take();
  }

  /// Sets the function that other threads call whenever a value is ready.
  void setWake(std::function<void()> wake) {
    wake_ = std::move(wake);
    for (auto& [name, entry] : entries_) entry->setWake(wake_);
  }
  /// Waits until nothing is being computed. Returns whether some values have not been taken yet.
  bool finish() {
    bool news = false;
    for (auto& [name, entry] : entries_) news = entry->finish() || news;
    return news;
  }
  /// Stops all computations in progress.
  void stop() {
    for (auto& [name, entry] : entries_) entry->stop();
  }
  /// Returns whether anything is being computed.
  bool busy() const {
    for (const auto& [name, entry] : entries_) {
      if (entry->busy()) return true;
    }
    return false;
  }

 private:
  static constexpr double kSecondsBetweenNews = 0.1;  // of units done, for a bar of progress

  template <typename Result>
  using NextUnit = typename BackgroundTask<Result>::NextUnit;

  template <typename Result, typename Work>
  static NextUnit<Result> unitsIn(Work work) {
    if constexpr (std::is_invocable_v<Work, const std::atomic<bool>&, std::optional<Result>&>) {
      return work;
    } else {
      return BackgroundTask<Result>::oneUnit(std::move(work));
    }
  }

  struct Base {
    virtual ~Base() = default;
    virtual void take() = 0;
    virtual void setWake(const std::function<void()>& wake) = 0;
    virtual bool finish() = 0;
    virtual void stop() = 0;
    virtual void stopThisKey() = 0;
    virtual void forget() = 0;
    virtual bool busy() const = 0;
  };

  template <typename Result>
  class Entry final : public Base {
   public:
    explicit Entry(Scheduler& scheduler) : task_(scheduler) {}
    template <typename MakeWork>
    Computed<Result> request(const Fingerprint& key, Schedule schedule, bool handMoves,
                             const MakeWork& makeWork) {
      const bool waits =
          schedule == Schedule::never || (schedule == Schedule::whenIdle && handMoves);
      if (!(key == requested_) && !waits) begin(key, schedule, makeWork());
      return {last(), resultKey_ == key ? last() : nullptr,
              key == requested_ ? std::string_view(problem_) : std::string_view(), unitsDone()};
    }
    const Result* last() const { return result_ ? &*result_ : nullptr; }
    void take() override {
      auto outcome = task_.take();
      if (!outcome || !inBackground_) return;  // the outcome of an older key
      if (outcome->result) {
        keep(outcome->result->first, std::move(outcome->result->second));
      } else {
        problem_ = std::move(outcome->error);
      }
    }
    void setWake(const std::function<void()>& wake) override { task_.setWake(wake); }
    bool finish() override { return task_.wait(); }
    void stop() override { task_.stop(); }
    void stopThisKey() override {
      task_.stop();
      problem_ = Computations::kStopped;
    }
    void forget() override { requested_ = {}; }
    bool busy() const override { return task_.busy(); }

   private:
    void begin(const Fingerprint& key, Schedule schedule, NextUnit<Result> next) {
      requested_ = key;
      problem_.clear();
      inBackground_ = schedule != Schedule::now;
      if (!inBackground_) {
        const std::atomic<bool> never = false;
        std::optional<Result> result;
        problem_ = whyNot([&] {
          while (!next(never, result)) continue;
        });
        keep(key, std::move(result));
        return;
      }
      units_ = std::make_shared<std::atomic<Index>>(0);
      task_.requestUnits(
          [this, key, next = std::move(next), units = units_, woken = clockSeconds()](
              const std::atomic<bool>& cancelled, auto& keyed) mutable {
            std::optional<Result> result;
            const bool last = next(cancelled, result);
            if (result) keyed.emplace(key, std::move(*result));
            ++*units;
            if (!last && !cancelled && clockSeconds() - woken > kSecondsBetweenNews) {
              woken = clockSeconds();
              task_.wake();
            }
            return last;
          });
    }
    void keep(const Fingerprint& key, std::optional<Result> result) {
      if (!result) return;
      result_ = std::move(result);
      resultKey_ = key;
    }

    Index unitsDone() const { return units_ != nullptr ? units_->load() : 0; }

    std::shared_ptr<std::atomic<Index>> units_;  // of the newest key's work
    BackgroundTask<std::pair<Fingerprint, Result>> task_;
    Fingerprint requested_;
    Fingerprint resultKey_;
    std::optional<Result> result_;
    std::string problem_;
    bool inBackground_ = false;  // whether the scheduler runs the newest key's work
  };

  template <typename Result>
  Entry<Result>& entry(std::string_view name) {  // throws where the name has another type
    auto found = entries_.find(name);
    if (found == entries_.end()) {
      found =
          entries_.emplace(std::string(name), std::make_unique<Entry<Result>>(scheduler_)).first;
      found->second->setWake(wake_);
    }
    auto* const typed = dynamic_cast<Entry<Result>*>(found->second.get());
    if (typed == nullptr) {
      throw std::logic_error("two computations share the name " + std::string(name));
    }
    return *typed;
  }

  void withEntry(std::string_view name, void (Base::*act)()) {
    if (const auto found = entries_.find(name); found != entries_.end()) (*found->second.*act)();
  }

  Scheduler& scheduler_;
  std::map<std::string, std::unique_ptr<Base>, std::less<>> entries_;
  std::function<void()> wake_;
  bool handMoves_ = false;
};

}  // namespace headscope::ui
