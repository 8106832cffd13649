#include "core/training/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/training/task_pass.h"

namespace headscope::training {
namespace {

constexpr Index kEvery = 5;  // steps from one evaluation to the next

/// The sums of one head on one example.
struct ScoreSums {
  double squares = 0.0;
  Index pairs = 0, rows = 0, saturated = 0;
};

ScoreSums scoreSumsOf(const ConstMatrixView& raw, const ConstMatrixView& weights, bool causal) {
  ScoreSums sums;
  for (Index i = 0; i < raw.rows; ++i) {
    const auto allowed = static_cast<std::size_t>(causal ? i + 1 : raw.cols);
    if (allowed < 2) continue;
    const auto scores = raw.row(i).first(allowed);
    const auto shares = weights.row(i).first(allowed);
    for (const float score : scores) {
      sums.squares += static_cast<double>(score) * static_cast<double>(score);
    }
    sums.pairs += std::ssize(scores);
    ++sums.rows;
    const float largest = *std::max_element(shares.begin(), shares.end());
    if (static_cast<double>(largest) > kSaturated) ++sums.saturated;
  }
  return sums;
}

}  // namespace

std::vector<Variant> headCountVariants(const TrainingSettings& like) {
  std::vector<Variant> variants;
  for (const Index heads : {1, 2, 4, 8, 16}) {
    if (like.model.dModel % heads != 0) continue;
    Variant variant{counted(heads, tr("{} head"), tr("{} heads")), like};
    variant.settings.model.heads = heads;
    variant.settings.evaluateEvery = kEvery;
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<Variant> scaleVariants(const Task& task, const TrainingSettings& like) {
  constexpr Index kHeadWidth = 64;
  TrainingSettings settings = like;
  settings.model.dModel = kHeadWidth * like.model.heads;
  // X is a sum of rows whose numbers have the variance scale² / d_model. For a series X is
  // dominated by the readings' row, whose numbers are about as large as the readings times the
  // scale.
  const auto summed = static_cast<double>(task.features.size() + 1);
  settings.model.embeddingScale =
      task.features.empty() ? 1.0 : std::sqrt(static_cast<double>(settings.model.dModel) / summed);
  settings.optimiser.learningRate = like.optimiser.learningRate / 10.0;
  settings.batch = std::min<Index>(like.batch, 32);
  settings.steps = std::min<Index>(like.steps, 200);
  settings.evaluateEvery = kEvery;
  std::vector<Variant> variants;
  for (const bool scale : {true, false}) {
    settings.model.scale = scale;
    variants.push_back({scale ? "with ÷√d_k" : "without", settings});
  }
  return variants;
}

ScoreFigures scoreFiguresOf(const Trainer& run) {
  const TaskPass& pass = *run.lastPass();
  const AttentionConfig& config = pass.config();
  ScoreSums all;
  for (Index layer = 0; layer < run.settings().model.layers; ++layer) {
    const Tensor& raw = pass.layer(layer).tensor(TensorId::rawScores);
    const Tensor& weights = pass.layer(layer).tensor(TensorId::weights);
    for (Index i = 0; i < config.batch * config.numHeads; ++i) {
      const Index item = i / config.numHeads;
      const Index head = i % config.numHeads;
      const ScoreSums sums =
          scoreSumsOf(raw.matrix({item, head}), weights.matrix({item, head}), config.mask.causal);
      all.squares += sums.squares;
      all.pairs += sums.pairs;
      all.rows += sums.rows;
      all.saturated += sums.saturated;
    }
  }
  const StepRecord& record = run.records().back();
  const double squares = std::accumulate(record.heads.begin(), record.heads.end(), 0.0,
                                         [](double sum, const HeadGradients& g) {
                                           const auto length = static_cast<double>(g.rawScores);
                                           return sum + length * length;
                                         });
  const auto multiplier = static_cast<double>(config.scoreMultiplier());
  ScoreFigures figures;
  figures.step = record.step;
  figures.raw = std::sqrt(all.squares / static_cast<double>(std::max<Index>(1, all.pairs)));
  figures.scores = figures.raw * multiplier;
  figures.saturated =
      static_cast<double>(all.saturated) / static_cast<double>(std::max<Index>(1, all.rows));
  figures.gradient = std::sqrt(squares) / multiplier;
  return figures;
}

Index headsWithTwin(const Roles& roles) {
  Index count = 0;
  for (const LayerRoles& layer : roles.layers) {
    for (Index head = 0; head < layer.similarity.heads; ++head) {
      const auto other = mostAlike(layer.similarity, head);
      if (other && layer.similarity(head, *other) >= kTwins) ++count;
    }
  }
  return count;
}

Index relationsFound(const Roles& roles) {
  return std::count_if(roles.relations.begin(), roles.relations.end(),
                       [](const Role& role) { return role.found; });
}

bool StudyRun::step(const ExecutionContext& execution) {
  const std::size_t evaluated = trainer_.evaluations().size();
  const bool done = trainer_.step(execution);
  if (done && (scores_.empty() || trainer_.evaluations().size() > evaluated)) {
    scores_.push_back(scoreFiguresOf(trainer_));
  }
  return done;
}

Study::Study(const Task& task, const std::vector<Variant>& variants, Index memoryBudgetBytes) {
  Index needed = 0;
  for (Variant variant : variants) {
    variant.settings.snapshotBytes = 0;
    needed += bytesOf(task, variant.settings);
    runs_.push_back(std::make_unique<StudyRun>(task, std::move(variant), memoryBudgetBytes));
  }
  if (needed <= memoryBudgetBytes) return;
  throw UserError(fmt::format(
      "these {} runs together need {}, more than the memory budget of {}: reduce batch, d_model or "
      "layers",
      runs_.size(), bytesInWords(needed), bytesInWords(memoryBudgetBytes)));
}

StudyRun* Study::next() const {
  StudyRun* fewest = nullptr;
  for (const auto& run : runs_) {
    if (run->trainer().finished()) continue;
    if (fewest == nullptr || run->trainer().stepsTaken() < fewest->trainer().stepsTaken()) {
      fewest = run.get();
    }
  }
  return fewest;
}

bool Study::step(const ExecutionContext& execution) {
  StudyRun* run = next();
  return run != nullptr && run->step(execution);
}

StudyFigures figuresOf(const StudyRun& run) {
  const Trainer& trainer = run.trainer();
  const Evaluation& at = trainer.evaluations().back();
  StudyFigures figures;
  figures.name = run.name();
  figures.model = trainer.settings().model;
  figures.step = at.step;
  figures.steps = trainer.settings().steps;
  figures.loss = at.losses.loss;
  for (const Answered& answered : at.losses.questions)
    figures.accuracy.push_back(answered.accuracy);
  figures.found = relationsFound(at.roles);
  figures.relations = std::ssize(at.roles.relations);
  figures.twins = headsWithTwin(at.roles);
  figures.heads = figures.model.heads * figures.model.layers;
  if (!run.scores().empty()) {
    figures.first = run.scores().front();
    figures.last = run.scores().back();
    for (const ScoreFigures& at : run.scores()) figures.meanGradient += at.gradient;
    figures.meanGradient /= static_cast<double>(run.scores().size());
  }
  if (trainer.stopped()) figures.stopped = trainer.stopped()->words;
  return figures;
}

}  // namespace headscope::training
