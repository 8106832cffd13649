// Study: one task learned by several small runs that differ in one setting, from the same seed and
// on the same batches, stepped in turn, so that they show the effect of that setting. Its sentences
// describe these runs and no others.
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

/// Variants with 1, 2, 4, 8 and 16 heads, where they divide d_model; all other settings as given.
std::vector<Variant> headCountVariants(const TrainingSettings& like);

/// Variants with ÷√d_k and without, at a d_k of 64: the given heads and layers with the d_model
/// that this needs, an embedding scale for which the numbers of X are about 1 at the start, as
/// after a layer norm (so that scores are as large as Vaswani et al. 2017, footnote 4, suppose),
/// and a tenth of the learning rate. At most 200 steps of at most 32 examples.
std::vector<Variant> scaleVariants(const Task& task, const TrainingSettings& like);

/// Statistics of the scores of a step, over all heads and all unmasked pairs.
struct ScoreFigures {
  Index step = 0;          // from 1; of its batch, before the parameters moved
  double raw = 0.0;        // root mean square of q · k
  double scores = 0.0;     // of the softmax's input: divided by √d_k where that is on
  double saturated = 0.0;  // share of rows whose largest weight is above kSaturated
  double gradient = 0.0;   // ‖∂ scores‖: the gradient of the softmax's input
};
inline constexpr double kSaturated = 0.99;
/// The statistics of the run's last step. Rows with one allowed key, whose weight is always 1, are
/// excluded. A step must have been taken.
ScoreFigures scoreFiguresOf(const Trainer& run);

/// The similarity from which heads are twins: the initial threshold of the similarity card.
inline constexpr double kTwins = 0.90;
/// The number of heads that have a twin in their layer.
Index headsWithTwin(const Roles& roles);
Index relationsFound(const Roles& roles);

class StudyRun {
 public:
  StudyRun(const Task& task, const Variant& variant, Index memoryBudgetBytes)
      : name_(variant.name), trainer_(task, variant.settings, memoryBudgetBytes) {}

  /// Takes a step of the trainer (Trainer::step) and records the statistics of the scores at the
  /// first step and at each evaluation.
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
  /// Throws UserError where the settings of a run are invalid, or where all runs together do not
  /// fit the budget. The runs keep no snapshots. The task must live as long as this does.
  Study(const Task& task, const std::vector<Variant>& variants, Index memoryBudgetBytes);

  /// Takes a step of the run that has taken the fewest, so that all curves grow together. Returns
  /// false where no step was taken.
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
  double meanGradient = 0.0;   // mean of `gradient` over all records
  std::string stopped;         // why the run stopped; empty where it did not
};
/// The figures of a run that has been evaluated.
StudyFigures figuresOf(const StudyRun& run);

/// The comparison in sentences. All runs must be at the same step.
std::string headCountsInWords(const Task& task, const std::vector<StudyFigures>& runs);
/// The comparison of the two runs of scaleVariants in sentences, the one with ÷√d_k first.
std::string scaleInWords(const Task& task, const std::vector<StudyFigures>& runs);

}  // namespace headscope::training
