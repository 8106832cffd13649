// Computed: values that panels ask for each frame and that are computed beside the frames: what
// several heads do, what a card measures. One registry holds them all, so that waking the window,
// waiting and cancelling are done in one place.
//
// A value is asked for by its name and the key of all it depends on. While that of the newest key
// is not there, the last one is, or nothing; the newest key wins, and work for an older one is
// stopped.
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

#include "app/background.h"
#include "app/ui/parts/fingerprint.h"

namespace headscope::ui {

/// What there is of a value, the same for all who ask for it in a frame. Valid until the next.
template <typename Result>
struct Computed {
  const Result* last = nullptr;     // of the key asked for or of an earlier one; null: none yet
  const Result* current = nullptr;  // of the key asked for; null while it is being computed
  std::string_view problem;         // why there will be none of that key; empty: none
};

/// When work is done.
enum class When {
  beside,  // on a thread of its own
  atOnce,  // within the frame: little work, whose result would come a frame late
  atRest,  // beside, but not while a hand moves on: for what takes longer than a pass
  notYet,  // what there is from before; other work comes first
};

class Computations {
 public:
  /// The value of that name; `makeWork` is called where it has to be computed, and gives the
  /// BackgroundTask's Work with what it reads, or its NextUnit where the work has several units.
  /// Either may throw UserError.
  template <typename Result, typename MakeWork>
  Computed<Result> want(std::string_view name, const Fingerprint& key, When when,
                        const MakeWork& makeWork) {
    return entry<Result>(name).want(key, when, handMoves_,
                                    [&] { return unitsIn<Result>(makeWork()); });
  }

  /// The last one that is there, of whatever key; null: none yet. Valid until the next frame.
  template <typename Result>
  const Result* last(std::string_view name) {
    return entry<Result>(name).last();
  }

  /// The same of little work that is done within the frame: the value, or null where it threw.
  template <typename Result, typename Compute>
  const Result* atOnce(std::string_view name, const Fingerprint& key, const Compute& compute) {
    const auto makeWork = [&] {
      return [&](const std::atomic<bool>&) { return std::optional<Result>(compute()); };
    };
    return want<Result>(name, key, When::atOnce, makeWork).current;
  }

  /// A frame begins: values that are there by now are those it gets. `handMoves`: a drag or typing
  /// goes on, so that what is to be computed at rest waits.
  void beginFrame(bool handMoves) {
    handMoves_ = handMoves;
    for (auto& [name, entry] : entries_) entry->take();
  }

  /// `wake` is called from other threads whenever a value is there.
  void setWake(std::function<void()> wake) {
    wake_ = std::move(wake);
    for (auto& [name, entry] : entries_) entry->setWake(wake_);
  }
  /// Waits until nothing is being computed. True where there are values that were not taken.
  bool finish() {
    bool news = false;
    for (auto& [name, entry] : entries_) news = entry->finish() || news;
    return news;
  }
  /// What is being computed ends.
  void stop() {
    for (auto& [name, entry] : entries_) entry->stop();
  }
  /// Whether anything is being computed.
  bool busy() const {
    for (const auto& [name, entry] : entries_) {
      if (entry->busy()) return true;
    }
    return false;
  }

 private:
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
    virtual bool busy() const = 0;
  };

  template <typename Result>
  class Entry final : public Base {
   public:
    explicit Entry(TaskPool& pool) : task_(&pool) {}
    template <typename MakeWork>
    Computed<Result> want(const Fingerprint& key, When when, bool handMoves,
                          const MakeWork& makeWork) {
      const bool waits = when == When::notYet || (when == When::atRest && handMoves);
      if (!(key == asked_) && !waits) ask(key, when, makeWork());
      return {last(), resultKey_ == key ? last() : nullptr,
              key == asked_ ? std::string_view(problem_) : std::string_view()};
    }
    const Result* last() const { return result_ ? &*result_ : nullptr; }
    void take() override {
      auto outcome = task_.take();
      if (!outcome || !beside_) return;  // of an older key: what was computed at once is newer
      if (outcome->result) {
        keep(outcome->result->first, std::move(outcome->result->second));
      } else {
        problem_ = std::move(outcome->error);
      }
    }
    void setWake(const std::function<void()>& wake) override { task_.setWake(wake); }
    bool finish() override { return task_.wait(); }
    void stop() override { task_.stop(); }
    bool busy() const override { return task_.busy(); }

   private:
    void ask(const Fingerprint& key, When when, NextUnit<Result> next) {
      asked_ = key;
      problem_.clear();
      beside_ = when != When::atOnce;
      if (!beside_) {
        const std::atomic<bool> never = false;
        std::optional<Result> result;
        problem_ = whyNot([&] {
          while (!next(never, result)) continue;
        });
        keep(key, std::move(result));
        return;
      }
      task_.requestUnits(
          [key, next = std::move(next)](const std::atomic<bool>& cancelled, auto& keyed) {
            std::optional<Result> result;
            const bool last = next(cancelled, result);
            if (result) keyed.emplace(key, std::move(*result));
            return last;
          });
    }
    void keep(const Fingerprint& key, std::optional<Result> result) {
      if (!result) return;
      result_ = std::move(result);
      resultKey_ = key;
    }

    BackgroundTask<std::pair<Fingerprint, Result>> task_;
    Fingerprint asked_;
    Fingerprint resultKey_;
    std::optional<Result> result_;
    std::string problem_;
    bool beside_ = false;  // the newest key's work is done on a thread of its own
  };

  template <typename Result>
  Entry<Result>& entry(std::string_view name) {  // throws where the name has another type
    auto found = entries_.find(name);
    if (found == entries_.end()) {
      found = entries_.emplace(std::string(name), std::make_unique<Entry<Result>>(pool_)).first;
      found->second->setWake(wake_);
    }
    auto* const typed = dynamic_cast<Entry<Result>*>(found->second.get());
    if (typed == nullptr) {
      throw std::logic_error("two computations share the name " + std::string(name));
    }
    return *typed;
  }

  static constexpr int kThreads = 3;

  TaskPool pool_{kThreads};  // of all entries, which go before it
  std::map<std::string, std::unique_ptr<Base>, std::less<>> entries_;
  std::function<void()> wake_;
  bool handMoves_ = false;
};

}  // namespace headscope::ui
