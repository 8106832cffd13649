// Live training: a run trained in the background at an observable pace. Frames request the steps
// that are due; a thread takes them and wakes the window for each new moment.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/watched_run.h"
#include "core/document/fwd.h"
#include "core/training/head_off.h"
#include "core/training/head_strip.h"
#include "core/training/trainer.h"

namespace headscope {

/// A snapshot of a run.
struct TrainingMoment {
  const training::Task* task = nullptr;
  training::TrainingSettings settings;
  Index stepsTaken = 0;
  Index step = 0;  // the step whose parameters give the weights: stepsTaken, or an earlier one
  training::Examples example;   // the shown example
  std::vector<Tensor> weights;  // weights on the example, by layer: (1,H,T,T)
  std::vector<training::StepRecord> records;
  std::vector<training::Evaluation> evaluations;
  std::vector<std::optional<Index>> foundAt;  // by relation
  std::optional<training::Stop> stopped;
  bool finished = false;
  double trainingMs = 0.0;
  Index bytes = 0;          // the peak memory of the run
  Index snapshotEvery = 1;  // the number of steps between two snapshots to which the run can return
  std::uint64_t number = 0;  // identifies this moment
  DocumentPtr document;      // a layer on the example, if requested
  /// The losses of this step's model without each of its heads, if requested.
  std::optional<training::HeadsOff> headsOff;
  std::vector<training::StripMoment> strip;  // heads at moments of the run, if requested

  /// The newest evaluation at or before the shown step.
  const training::Evaluation* evaluation() const;
  /// The newest record at or before the shown step; null before the first.
  const training::StepRecord* record() const;
  Index layers() const { return std::ssize(weights); }

  /// Leaves out what came after the shown step, and the time that it took: the moment as it was
  /// when the run was there, on any machine.
  void forgetLater();
};

/// Returns example `n` alone.
training::Examples oneExample(const training::Examples& all, Index n);

class LiveTraining : public WatchedRun<training::Trainer, TrainingMoment> {
 public:
  static constexpr double kSlow = 20.0;  // steps per second: slow enough to watch

  struct Live;  // the thread's state of one run, shared so that it outlives a replaced run

  /// `shown`: a moment of another run, for a picture of it; nothing is trained then. `filmed`: that
  /// run itself, so that lookAt() shows its earlier steps, each as it was then.
  LiveTraining(Scheduler& scheduler, Index memoryBudgetBytes,
               std::shared_ptr<const TrainingMoment> shown = nullptr,
               std::shared_ptr<Live> filmed = nullptr);

  /// Starts a new run, paused. Throws UserError for invalid settings; the present run is kept then.
  /// A run of another task, model or seed that has taken steps is kept.
  void begin(const training::Task& task, const training::TrainingSettings& settings);
  /// Returns whether the run last begun, or refused, has this task, model and seed.
  bool isOf(const training::Task& task, const training::TrainingSettings& settings) const;
  /// Returns to a run that was kept, paused. Returns false where there is none of this task,
  /// model and seed.
  bool resume(const training::Task& task, const training::TrainingSettings& settings);
  /// Returns the newest moment of a task's run that was kept; null where there is none.
  std::shared_ptr<const TrainingMoment> kept(const training::Task& task) const;
  /// Makes isOf() false, so that any request begins a new run.
  void forget() { begunLast_.reset(); }

  /// Sets the run and the kept ones aside, as if none had ever begun, until bringBack() shows it
  /// again.
  void setAside();
  void bringBack();

  void showExample(Index example);
  Index example() const { return example_; }
  /// The additional results that later moments hold.
  enum class Extra { nothing, headsOff, strip };
  void request(Extra what);
  /// Requests that a later moment hold this layer as a document.
  void askForDocument(Index layer);

  /// Takes the newest moment and requests the steps due at `now`, in seconds. Call it once a frame.
  void follow(double now);
  /// The present run, for a film of it; null: there is none.
  const std::shared_ptr<Live>& run() const { return run_; }

 private:
  static constexpr double kFastSeconds = 0.03;

  struct Request {
    StepsDue<training::Trainer> due;
    Index example = 0;
    Extra extra = Extra::nothing;
    std::optional<Index> document;
    bool asItWas = false;  // without what came after the shown step
  };
  /// A run that can be returned to, and what it showed last.
  struct KeptRun {
    std::shared_ptr<Live> run;
    std::shared_ptr<const TrainingMoment> moment;
  };

  void keepRun();
  /// Shows another run, paused, without anything that was asked of the one before.
  void show(KeptRun other);

  struct Begun {
    const training::Task* task;
    training::TrainingSettings settings;
  };
  /// A run that is set aside.
  struct Aside {
    std::shared_ptr<Live> run;
    std::shared_ptr<const TrainingMoment> moment;
    std::optional<Begun> begunLast;
    std::optional<Index> look;
    std::vector<KeptRun> kept;
    double speed = 0.0;
  };

  std::shared_ptr<Live> run_;
  bool filmed_ = false;        // the run belongs to another program, and is looked at alone
  std::vector<KeptRun> kept_;  // the newest last
  Index example_ = 0;
  Extra extra_ = Extra::nothing;
  std::uint64_t begun_ = 0;  // the number of runs begun, so that their moments' numbers differ
  std::optional<Begun> begunLast_;
  std::optional<Aside> aside_;
  std::optional<Index> document_;
};

}  // namespace headscope
