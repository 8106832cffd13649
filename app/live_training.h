// Live training: a run that goes on beside the frames, at a pace one can watch, and what is seen of
// it. Frames ask for the steps that are due; these are taken on a thread of its own, and each time
// a new moment is there the window is woken.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background.h"
#include "core/document/document.h"
#include "core/training/head_off.h"
#include "core/training/head_strip.h"
#include "core/training/trainer.h"

namespace headscope {

/// What there is of a run at one time.
struct TrainingMoment {
  const training::Task* task = nullptr;
  training::TrainingSettings settings;
  Index stepsTaken = 0;
  Index step = 0;  // whose parameters the weights are of: stepsTaken, or one that is looked back at
  training::Examples example;   // the one that is shown
  std::vector<Tensor> weights;  // on it, by layer: (1,H,T,T)
  std::vector<training::StepRecord> records;
  std::vector<training::Evaluation> evaluations;
  std::vector<std::optional<Index>> foundAt;  // by relation
  std::optional<training::Stop> stopped;
  bool finished = false;
  double trainingMs = 0.0;
  Index bytes = 0;           // what the run takes at most
  Index snapshotEvery = 1;   // steps from one moment that can be gone back to, to the next
  std::uint64_t number = 0;  // tells it from every other moment
  DocumentPtr document;      // of a layer on the example, where that was asked for
  /// What the model of this step answers without each of its heads, where that is asked for.
  std::optional<training::HeadsOff> headsOff;
  std::vector<training::StripMoment> strip;  // likewise: heads at moments of the run

  /// The newest evaluation of no later step than is shown.
  const training::Evaluation* evaluation() const;
  /// The newest record of no later step; null before the first.
  const training::StepRecord* record() const;
  Index layers() const { return std::ssize(weights); }
};

/// One of several examples.
training::Examples oneExample(const training::Examples& all, Index n);

class LiveTraining {
 public:
  static constexpr double kSlow = 20.0;  // steps a second: slow enough to see

  /// `shown`: a moment of another one's run, as for a picture of it; nothing goes on then.
  explicit LiveTraining(Index memoryBudgetBytes,
                        std::shared_ptr<const TrainingMoment> shown = nullptr)
      : memoryBudgetBytes_(memoryBudgetBytes), moment_(std::move(shown)) {
    if (moment_ != nullptr) begunLast_ = {moment_->task, moment_->settings};
  }

  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }
  Index memoryBudget() const { return memoryBudgetBytes_; }

  /// A new run at its start, halted. Throws UserError for settings that no run can have; the run
  /// before goes on to be there then.
  void begin(const training::Task& task, const training::TrainingSettings& settings);
  /// Whether the run that was last begun, or refused, has this task, model and seed.
  bool isOf(const training::Task& task, const training::TrainingSettings& settings) const;
  /// It is of none from now on: whatever is asked for is begun.
  void forget() { begunLast_.reset(); }

  void play(bool on);
  bool playing() const { return playing_; }
  void stepOnce() { ++asked_; }
  /// Steps a second; 0: as fast as they go.
  void setSpeed(double speed) { speed_ = speed; }
  double speed() const { return speed_; }
  /// These act from the next step on.
  void setLearningRate(double rate);
  void setBatch(Index batch);
  void setSteps(Index steps);

  /// The parameters of an earlier step are shown, while the run stays where it is; none: its own.
  void lookAt(std::optional<Index> step);
  std::optional<Index> lookedAt() const { return look_; }
  /// The run goes on from the snapshot of such a step.
  void goBack(Index step);
  void showExample(Index example);
  Index example() const { return example_; }
  /// What later moments hold beside the run.
  enum class Beside { nothing, headsOff, strip };
  void want(Beside what);
  /// Has a later moment hold that layer as a document.
  void askForDocument(Index layer);

  /// Once a frame: takes what is there and asks for the steps that are due at `now`, in seconds.
  void follow(double now);
  /// In how many seconds there is more to do; none: nothing goes on by itself.
  std::optional<double> dueIn() const;
  /// Null before the first.
  std::shared_ptr<const TrainingMoment> moment() const { return moment_; }
  const std::string& problem() const { return problem_; }
  bool busy() const { return thread_.busy(); }
  /// Waits until nothing is computed. True where there is a moment that was not taken.
  bool finish() { return thread_.wait(); }
  /// What is being computed ends.
  void stop() { thread_.stop(); }

 private:
  using Change = std::function<void(training::Trainer&)>;
  struct Request {
    Index steps = 0;
    std::optional<double> seconds;  // no step is begun after so long
    std::optional<Index> look;
    Index example = 0;
    Beside beside = Beside::nothing;
    std::optional<Index> document;
    std::vector<Change> changes;
  };
  /// What one run needs on the thread; with it gone, the thread's last work still has it.
  struct Live {
    Live(const training::Task& task, const training::TrainingSettings& settings, Index memoryBudget,
         std::uint64_t momentsBefore);
    std::optional<TrainingMoment> advance(const Request& request,
                                          const std::atomic<bool>& cancelled);

    training::Trainer run;
    training::Model shown;  // with the parameters of the step that is looked back at
    training::Examples examples;
    Index budget;
    std::uint64_t moments;
  };

  void change(Change change);

  Index memoryBudgetBytes_;
  std::shared_ptr<Live> run_;
  std::shared_ptr<const TrainingMoment> moment_;
  std::string problem_;
  bool playing_ = false;
  bool stale_ = false;  // something else is to be shown
  double speed_ = kSlow;
  double now_ = 0.0, lastStepAt_ = 0.0;
  Index asked_ = 0;
  Index example_ = 0;
  Beside beside_ = Beside::nothing;
  std::uint64_t begun_ = 0;  // so many runs: their moments' numbers differ
  struct Begun {
    const training::Task* task;
    training::TrainingSettings settings;
  };
  std::optional<Begun> begunLast_;
  std::optional<Index> look_, document_;
  std::vector<Change> changes_;
  BackgroundTask<TrainingMoment> thread_;  // last: gone before what it writes
};

}  // namespace headscope
