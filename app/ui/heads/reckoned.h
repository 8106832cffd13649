// Reckoned: what was computed last of a pass for a card, at once where it is little work, else on a
// thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background.h"

namespace headscope::ui {

template <typename Result>
class Reckoned {
 public:
  /// All that the result depends on: revisions, indices, settings.
  using Key = std::vector<std::uint64_t>;
  using Work = std::function<std::optional<Result>(const std::atomic<bool>& cancelled)>;

  /// Asks for a result where it is not there yet; `makeWork` gives the Work, with copies of what it
  /// reads.
  template <typename MakeWork>
  void want(const Key& key, bool atOnce, const MakeWork& makeWork) {
    if (auto outcome = task_.take()) take(std::move(*outcome));
    if (key == key_) return;
    key_ = key;
    error_.clear();
    current_ = false;
    Work work = makeWork();
    if (atOnce) {
      const std::atomic<bool> never = false;
      result_ = work(never);
      current_ = result_.has_value();
      return;
    }
    task_.request(
        [key, work = std::move(work)](const std::atomic<bool>& cancelled) -> std::optional<Keyed> {
          auto result = work(cancelled);
          if (!result) return std::nullopt;
          return Keyed{key, std::move(*result)};
        });
  }

  /// The last there is, perhaps of an earlier key; null before the first.
  const Result* last() const { return result_ ? &*result_ : nullptr; }
  /// That of the key asked for; null while it is being computed.
  const Result* current() const { return current_ ? last() : nullptr; }
  const std::string& error() const { return error_; }

  void setWake(const std::function<void()>& wake) { task_.setWake(wake); }
  bool finish() { return task_.wait(); }

 private:
  struct Keyed {
    Key key;
    Result result;
  };

  void take(typename BackgroundTask<Keyed>::Outcome outcome) {
    if (!outcome.result) {
      if (!current_) error_ = std::move(outcome.error);
      return;
    }
    if (outcome.result->key != key_) return;
    result_ = std::move(outcome.result->result);
    current_ = true;
  }

  BackgroundTask<Keyed> task_;
  Key key_;
  std::optional<Result> result_;
  bool current_ = false;
  std::string error_;
};

}  // namespace headscope::ui
