// Study: one task learned by several small runs that differ in one setting, from the same seed and
// on the same batches, taken side by side: what that setting does is seen by holding one against
// the other. What is said of them is what came out of these runs, and of no others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/training/trainer.h"

namespace headscope::training {

struct Variant {
  std::string name;  // "4 heads"
  TrainingSettings settings;
};

/// 1, 2, 4, 8 and 16 heads, those that divide d_model; all else as given.
std::vector<Variant> headCountVariants(const TrainingSettings& like);

/// With ÷√d_k and without, at a d_k of 64: the heads and layers given, a model so much wider, an
/// embedding by which X has numbers of about 1 at the start, as after a layer norm (so that scores
/// are as large as Vaswani et al. 2017, footnote 4, supposes), and a tenth of the learning rate. At
/// most 200 steps of at most 32 examples.
std::vector<Variant> scaleVariants(const Task& task, const TrainingSettings& like);

/// What the scores of a step were, over all heads and all pairs that are no masked ones.
struct ScoreFigures {
  Index step = 0;          // from 1; of its batch, before the parameters moved
  double raw = 0.0;        // root mean square of q · k
  double scores = 0.0;     // of what the softmax reads: divided by √d_k, where that is done
  double saturated = 0.0;  // share of rows whose largest weight is above kSaturated
  double gradient = 0.0;   // ‖∂ scores‖: what the softmax hands back for what it read
};
inline constexpr double kSaturated = 0.99;
/// Of the run's last step; rows of one allowed key apart, whose weight is always 1. A step must
/// have been taken.
ScoreFigures scoreFiguresOf(const Trainer& run);

/// Heads at least so alike are twins, as the similarity card counts them at first.
inline constexpr double kTwins = 0.90;
/// How many heads have another in their layer that is so alike.
Index headsWithTwin(const Roles& roles);
Index relationsFound(const Roles& roles);

class StudyRun {
 public:
  StudyRun(const Task& task, const Variant& variant, Index memoryBudgetBytes)
      : name_(variant.name), trainer_(task, variant.settings, memoryBudgetBytes) {}

  /// As Trainer::step, with figures of the scores wherever it is evaluated, and of the first step.
  bool step(const ExecutionContext& execution);

  const std::string& name() const { return name_; }
  const Trainer& trainer() const { return trainer_; }
  const std::vector<ScoreFigures>& scores() const { return scores_; }

 private:
  std::string name_;
  Trainer trainer_;
  std::vector<ScoreFigures> scores_;
};

class Study {
 public:
  /// Throws UserError where one of them cannot be, or all of them together do not fit the budget.
  /// They keep no snapshots. The task must live as long as this does.
  Study(const Task& task, const std::vector<Variant>& variants, Index memoryBudgetBytes);

  /// A step of the run that has taken the fewest: all curves grow together. False where nothing
  /// was done.
  bool step(const ExecutionContext& execution);
  bool finished() const { return next() == nullptr; }

  const std::vector<std::unique_ptr<StudyRun>>& runs() const { return runs_; }

 private:
  StudyRun* next() const;

  std::vector<std::unique_ptr<StudyRun>> runs_;
};

/// The figures of one run that are compared, after its newest evaluation.
struct StudyFigures {
  std::string name;
  ModelSettings model;
  Index step = 0, steps = 0;
  double loss = 0.0;
  std::vector<double> accuracy;  // by question
  Index found = 0, relations = 0;
  Index twins = 0, heads = 0;  // of all layers
  ScoreFigures first, last;    // of its scores
  double meanGradient = 0.0;   // of what the softmax reads, over all of them
  std::string stopped;         // why it could not go on; empty where it could
};
/// The figures of a run that has been evaluated.
StudyFigures figuresOf(const StudyRun& run);

/// The comparison in sentences. All runs must be at the same step.
std::string headCountsInWords(const Task& task, const std::vector<StudyFigures>& runs);
/// Of the two, with ÷√d_k first.
std::string scaleInWords(const Task& task, const std::vector<StudyFigures>& runs);

}  // namespace headscope::training
