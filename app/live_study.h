// Live study: several small runs of one task that differ in one setting, taken side by side on a
// thread of its own, and what is seen of them. It goes on while one looks elsewhere: it ends by
// itself after seconds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/background.h"
#include "core/training/study.h"

namespace headscope {

/// What there is of a study at one time; all its runs have taken as many steps, but those that
/// could not go on.
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
  double trainingMs = 0.0;   // of all runs
  std::uint64_t number = 0;  // tells it from every other moment of this study

  std::vector<training::StudyFigures> figures() const;
};

class LiveStudy {
 public:
  /// `shown`: a moment of another one, as for a picture of it; nothing goes on then.
  explicit LiveStudy(Index memoryBudgetBytes, std::shared_ptr<const StudyMoment> shown = nullptr);

  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }

  /// Makes the runs and lets them go. Throws UserError where they cannot be.
  void begin(const training::Task& task, std::vector<training::Variant> variants);
  /// Whether it is of just these.
  bool isOf(const training::Task& task, const std::vector<training::Variant>& variants) const;
  void play(bool on) { playing_ = on && runs_ != nullptr; }
  bool playing() const { return playing_; }

  /// Once a frame: takes what is there and asks for more.
  void follow();
  /// It wants to be followed at once.
  bool due() const { return playing_ && !thread_.busy(); }
  /// Null before the first.
  std::shared_ptr<const StudyMoment> moment() const { return moment_; }
  const std::string& problem() const { return problem_; }
  /// Waits until nothing is computed. True where there is a moment that was not taken.
  bool finish() { return thread_.wait(); }
  /// What is being computed ends.
  void stop() { thread_.stop(); }

 private:
  struct Runs;

  Index memoryBudgetBytes_;
  const training::Task* task_ = nullptr;
  std::vector<training::Variant> variants_;
  std::shared_ptr<Runs> runs_;
  std::shared_ptr<const StudyMoment> moment_;
  std::string problem_;
  std::uint64_t begun_ = 0;  // so many studies: their moments' numbers differ
  bool playing_ = false;
  BackgroundTask<StudyMoment> thread_;  // last: gone before what it writes
};

}  // namespace headscope
