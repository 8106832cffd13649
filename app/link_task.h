// Link task: makes a link, or opens the session of one, in the background. It learns the required
// weights in steps, reports progress and can be stopped.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/background_task.h"
#include "core/editing/make_document.h"
#include "core/formats/session.h"
#include "core/training/learned_layers.h"

namespace headscope {

class LinkTask {
 public:
  struct Result {
    std::string link;                         // set after make()
    std::optional<formats::Session> session;  // set after open()
  };
  using Outcome = BackgroundTask<Result>::Outcome;
  struct Progress {
    Index step = 0, steps = 1;
  };

  LinkTask(Scheduler& scheduler, std::shared_ptr<LearnedLayers> layers)
      : layers_(std::move(layers)), task_(scheduler) {}

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
  /// Starts a task; replaces the one under way.
  void make(formats::Session session, Index memoryBudget);
  void open(std::string link, Index memoryBudget);
  void stop();

  std::optional<Outcome> take() { return task_.take(); }
  bool busy() const { return task_.busy(); }
  /// Waits for the task. Returns whether an outcome can be taken.
  bool finish() { return task_.wait(); }
  /// The progress of learning weights; nothing where none are being learned.
  std::optional<Progress> progress() const;

 private:
  /// Step counts, which the interface reads while the task runs.
  struct Steps {
    std::atomic<Index> done{0}, all{0};
  };
  class Learning;
  void begin(std::function<void(const WeightMaker&)> ask,
             std::function<Result(const WeightMaker&)> finish);

  std::shared_ptr<LearnedLayers> layers_;
  std::shared_ptr<Steps> steps_ = std::make_shared<Steps>();
  BackgroundTask<Result> task_;
};

}  // namespace headscope
