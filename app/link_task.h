// Link task: makes a link, or the session of one, beside the frames. Weights that have to be
// learned for it are learned in parts, with progress, and the task can be stopped.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/background.h"
#include "core/editing/make_document.h"
#include "core/formats/session.h"

namespace headscope {

class LinkTask {
 public:
  struct Result {
    std::string link;                         // where one was made
    std::optional<formats::Session> session;  // where one was opened
  };
  using Outcome = BackgroundTask<Result>::Outcome;
  struct Progress {
    Index step = 0, steps = 1;
  };

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
  /// Each takes the place of what was under way.
  void make(formats::Session session, Index memoryBudget);
  void open(std::string link, Index memoryBudget);
  void stop();

  std::optional<Outcome> take() { return task_.take(); }
  bool busy() const { return task_.busy(); }
  /// True where there is an outcome to be taken.
  bool finish() { return task_.wait(); }
  /// Of the weights that are being learned; nothing where none are.
  std::optional<Progress> progress() const;

 private:
  /// Read by the interface while the task runs.
  struct Steps {
    std::atomic<Index> done{0}, all{0};
  };
  class Learning;
  void begin(std::function<void(const WeightMaker&)> ask,
             std::function<Result(const WeightMaker&)> finish);

  std::shared_ptr<Steps> steps_ = std::make_shared<Steps>();
  BackgroundTask<Result> task_;
};

}  // namespace headscope
