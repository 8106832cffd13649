// ModelTrainer, with a model of one number: the snapshots of a run, of which those with a discovery
// stay however little memory there is.
#include "core/model_training/model_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace headscope::model_training {
namespace {

/// A run whose evaluations at some steps are the first with a discovery.
class FakeTrainer final : public ModelTrainer {
 public:
  FakeTrainer(const Schedule& schedule, std::set<Index> discoveries)
      : ModelTrainer(schedule), schedule_(schedule), discoveries_(std::move(discoveries)) {
    parameters_.push_back({"number", Tensor::zeros({1}), Tensor::zeros({1}), {}, {}});
  }
  std::span<training::Parameter> parameters() override { return parameters_; }

 private:
  const Schedule& schedule() const override { return schedule_; }
  void change(const Schedule& schedule) override { schedule_ = schedule; }
  Work stepWork() const override { return {}; }
  Work evaluationWork() const override { return {}; }
  std::optional<BatchResult> runBatch(Index /*step*/, const ExecutionContext& /*of*/) override {
    parameters_.front().gradient = Tensor::fromValues({1}, std::vector<float>{1.0F});
    return BatchResult{1.0};
  }
  Index evaluatedAt() const override { return evaluatedAt_; }
  std::optional<BatchResult> addEvaluation(const ExecutionContext& /*of*/) override {
    evaluatedAt_ = stepsTaken();
    return BatchResult{1.0};
  }
  void dropEvaluationsAfter(Index step) override { evaluatedAt_ = std::min(evaluatedAt_, step); }
  bool madeDiscovery() const override { return discoveries_.contains(evaluatedAt_); }

  Schedule schedule_;
  std::set<Index> discoveries_;
  std::vector<training::Parameter> parameters_;
  Index evaluatedAt_ = -1;
};

std::vector<Index> keptOf(const std::set<Index>& discoveries) {
  Schedule schedule;
  schedule.steps = 40;
  schedule.warmUp = 1;
  schedule.evaluateEvery = 1;
  schedule.snapshotBytes = 40;  // three numbers with their moments
  FakeTrainer run(schedule, discoveries);
  while (!run.finished()) run.step({});
  std::vector<Index> steps;
  for (const training::Snapshot& snapshot : run.snapshots().all()) steps.push_back(snapshot.step);
  return steps;
}

TEST(ModelTrainer, KeepsTheSnapshotsWithADiscovery) {
  EXPECT_EQ(keptOf({}), (std::vector<Index>{0, 16, 32}));
  EXPECT_EQ(keptOf({7, 17, 18}), (std::vector<Index>{0, 7, 17, 18}));
}

}  // namespace
}  // namespace headscope::model_training
