// Live study: several small runs of one task that differ in one setting, trained together on a
// thread. It continues while other pages are shown and ends by itself after seconds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/background_task.h"
#include "core/training/study.h"

namespace headscope {

/// A snapshot of a study. All runs have taken the same number of steps, except those that failed.
struct StudyMoment {
  struct Run {
    training::StudyFigures figures;
    std::vector<training::StepRecord> records;
    std::vector<training::ScoreFigures> scores;
    std::vector<Tensor> weights;  // on the example, by layer: (1,H,T,T)
  };
  const training::Task* task = nullptr;
  std::vector<training::Variant> variants;
  std::vector<Run> runs;
  bool finished = false;
  double trainingMs = 0.0;   // the training time of all runs together
  std::uint64_t number = 0;  // identifies this moment of the study

  std::vector<training::StudyFigures> figures() const;
};

class LiveStudy {
 public:
  /// `shown`: a moment of another study, for a picture of it; nothing is trained then.
  LiveStudy(Scheduler& scheduler, Index memoryBudgetBytes,
            std::shared_ptr<const StudyMoment> shown = nullptr);

  void setWake(std::function<void()> wake) { background_.setWake(std::move(wake)); }

  /// Creates and starts the runs. Throws UserError where they cannot be created.
  void begin(const training::Task& task, std::vector<training::Variant> variants);
  /// Returns whether the study has exactly this task and these variants.
  bool isOf(const training::Task& task, const std::vector<training::Variant>& variants) const;
  /// Sets the study aside, as if none had ever begun, until bringBack() shows it again.
  void setAside();
  void bringBack();
  void play(bool on) { playing_ = on && runs_ != nullptr; }
  bool playing() const { return playing_; }

  /// Takes the newest moment and requests more steps. Call it once a frame.
  void follow();
  /// Returns whether follow() is to be called at once.
  bool due() const { return playing_ && !background_.busy(); }
  /// The newest moment; null before the first.
  std::shared_ptr<const StudyMoment> moment() const { return moment_; }
  const std::string& problem() const { return problem_; }
  /// Waits until nothing is computed. Returns whether a moment can be taken.
  bool finish() { return background_.wait(); }
  /// Cancels the running computation.
  void stop() { background_.stop(); }

 private:
  struct Runs;
  /// A study that is set aside.
  struct Aside {
    const training::Task* task = nullptr;
    std::vector<training::Variant> variants;
    std::shared_ptr<Runs> runs;
    std::shared_ptr<const StudyMoment> moment;
    std::string problem;
  };

  Index memoryBudgetBytes_;
  const training::Task* task_ = nullptr;
  std::vector<training::Variant> variants_;
  std::shared_ptr<Runs> runs_;
  std::shared_ptr<const StudyMoment> moment_;
  std::string problem_;
  std::uint64_t begun_ = 0;  // the number of studies begun, so that their moments' numbers differ
  bool playing_ = false;
  std::optional<Aside> aside_;
  BackgroundTask<StudyMoment> background_;  // last: destroyed before the members that it writes
};

}  // namespace headscope
