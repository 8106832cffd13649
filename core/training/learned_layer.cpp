#include "core/training/learned_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/attention/ledger.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/linear.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/tensor/random_tensors.h"
#include "core/tensor/thin_qr.h"

namespace headscope::training {
namespace {

constexpr std::array kMatrices{TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO};
constexpr std::array kBiases{TensorId::bQ, TensorId::bK, TensorId::bV, TensorId::bO};

/// Returns whether a weight or bias decides where heads look, not what they write.
bool saysWhere(TensorId id) {
  return id == TensorId::wQ || id == TensorId::wK || id == TensorId::bQ || id == TensorId::bK;
}

constexpr float kFirstNone = 2.0F;
constexpr Index kMemoryKept = 256 << 20;
constexpr Index kRecentStats = 4;

/// Each parameter has a value, gradient, mean and square; the matrices are packed for products, and
/// the readout keeps two copies of the initial W_O.
void requireRoom(const AttentionConfig& config) {
  constexpr Index kCopies = 7;
  const Index needed =
      kCopies * ledger(config).parameters.total * static_cast<Index>(sizeof(float));
  if (needed <= defaultMemoryBudget()) return;
  throw UserError(
      fmt::format("learning weights of d_model {} needs {} of memory, more than the limit of {}: "
                  "choose a smaller d_model, or weights that are not learned",
                  config.dModel, bytesInWords(needed), bytesInWords(defaultMemoryBudget())));
}

AttentionConfig sizesToLearn(const AttentionConfig& asked, const TrainingDomain& domain) {
  AttentionConfig config;
  config.dModel = asked.dModel;
  config.numHeads = asked.numHeads;
  config.numKvHeads = asked.numKvHeads;
  config.headDim = asked.headDim;
  config.switches->bias = asked.switches->bias;
  config.seqLen = domain.series() ? kLongestWindow : kLongestSentence;
  if (asked.kvWidth() != asked.dModel) {
    throw UserError(fmt::format(
        "weights for a memory of {} features cannot be learned from {}, which are {} wide: "
        "leave the memory's width at d_model, or choose other weights than learned ones",
        asked.kvWidth(), domain.series() ? "series" : "sentences", asked.dModel));
  }
  auto problems = validate(config);
  if (!problems.empty()) throw UserError(std::move(problems));
  requireRoom(config);
  return config;
}

/// A matrix with orthogonal rows or columns: Q of a matrix of normals (Saxe et al. 2014).
Tensor orthogonal(Index rows, Index cols, std::uint64_t seed) {
  const bool wide = cols > rows;
  Tensor drawn = Tensor::uninitialised({std::max(rows, cols), std::min(rows, cols)});
  const std::array draws{
      Draw{&drawn, RandomStream(seed, "orthogonal W_O"), Distribution::normal, 1.0F}};
  draw(draws);
  const Tensor q = thinQr(drawn.matrix()).q;
  if (!wide) return q;
  Tensor result = Tensor::uninitialised({rows, cols});
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) result.mutableMatrix()(row, col) = q.matrix()(col, row);
  }
  return result;
}

/// The initial W_V, which reads only the columns that tell places apart.
Tensor identityValues(const AttentionConfig& c, const BatchSource& curriculum, std::uint64_t seed) {
  const std::vector<ColumnRange> identity = curriculum.identity();
  Index columns = 0;
  for (const ColumnRange& range : identity) columns += range.count;
  Tensor drawn = Tensor::uninitialised({c.dKv(), columns});
  const QuestionColumns block = columnsOfQuestion(0, c.queryWidth());
  const double length = std::sqrt(static_cast<double>(block.count)) * curriculum.identityLength();
  const std::array draws{Draw{&drawn, RandomStream(seed, "identity W_V"), Distribution::normal,
                              static_cast<float>(1.0 / length)}};
  draw(draws);
  Tensor wV = Tensor::zeros({c.dKv(), c.dModel});
  for (Index row = 0; row < c.dKv(); ++row) {
    const float* next = drawn.data() + row * columns;
    for (const ColumnRange& range : identity) {
      std::copy_n(next, range.count, wV.mutableData() + row * c.dModel + range.begin);
      next += range.count;
    }
  }
  return wV;
}

/// Values (B,T,D_kv) in the layout of the concatenated heads: one copy for each head that reads
/// them.
Tensor inConcat(const Tensor& values, const AttentionConfig& c) {
  if (c.numKvHeads == c.numHeads) return values;
  Tensor result = Tensor::uninitialised({values.dim(0), values.dim(1), c.queryWidth()});
  for (Index row = 0; row < values.dim(0) * values.dim(1); ++row) {
    for (Index head = 0; head < c.numHeads; ++head) {
      std::copy_n(values.data() + row * c.dKv() + c.kvHead(head) * c.dK(), c.dK(),
                  result.mutableData() + row * c.queryWidth() + head * c.dK());
    }
  }
  return result;
}

std::unique_ptr<BatchSource> curriculumFor(const LearningSettings& s, Index width,
                                           std::uint64_t seed) {
  const CurriculumSettings settings{width, seed, s.batch, s.classFactor};
  return s.domain.series() ? makeSeriesCurriculum(s.domain.channels, settings)
                           : makeSentenceCurriculum(settings);
}

/// Adds the gradients of the two penalties to grad.raw_scores.
class ScorePenalties {
 public:
  ScorePenalties(const LearningSettings& s, const AttentionConfig& c) {
    const double root = c.rootDk();
    double cells = 0.0;
    for (Index item = 0; item < c.batch; ++item) {
      const auto n = static_cast<double>(keysOf(c, item));
      cells += n * n * static_cast<double>(c.numHeads);
    }
    size_ = static_cast<float>(2.0 * s.sizePenalty / (root * root * cells));
    most_ = static_cast<float>(s.mostScore * root);
    excess_ = static_cast<float>(2.0 * s.excessPenalty / (root * root * cells));
  }

  void addTo(Gradients& gradients, const ExecutionContext& execution) const {
    const AttentionConfig& c = gradients.config();
    const Tensor& raw = gradients.values().tensor(TensorId::rawScores);
    Tensor& grad = gradients.mutableTensor(TensorId::rawScores);
    parallelFor(c.batch * c.numHeads, execution, [&](Index piece) {
      const Index item = piece / c.numHeads;
      const Index keys = keysOf(c, item);
      const ConstMatrixView scores = raw.matrixOf(item, piece % c.numHeads);
      const MatrixView out = grad.mutableMatrixOf(item, piece % c.numHeads);
      for (Index i = 0; i < keys; ++i) {
        addToRow(scores.row(i).first(static_cast<std::size_t>(keys)), out.row(i));
      }
    });
  }

 private:
  static Index keysOf(const AttentionConfig& c, Index item) {
    return c.mask.lengths.empty() ? c.seqLen : c.mask.lengths[static_cast<std::size_t>(item)];
  }

  void addToRow(std::span<const float> raw, std::span<float> grad) const {
    float sum = 0.0F;
    for (const float score : raw) sum += score;
    const float mean = sum / static_cast<float>(raw.size());
    float excesses = 0.0F;
    for (const float score : raw) excesses += beyond(score - mean);
    const float meanExcess = excesses / static_cast<float>(raw.size());
    for (std::size_t j = 0; j < raw.size(); ++j) {
      grad[j] += size_ * raw[j] + excess_ * (beyond(raw[j] - mean) - meanExcess);
    }
  }
  float beyond(float deviation) const {
    return deviation > most_ ? deviation - most_ : deviation < -most_ ? deviation + most_ : 0.0F;
  }

  float size_ = 0.0F, most_ = 0.0F, excess_ = 0.0F;
};

/// The factor of a step's learning rate: 1, and a linear fall to 0 over the last `settling` of the
/// steps.
double rateAt(Index step, const LearningSettings& s) {
  const double left =
      static_cast<double>(s.steps - step) / (s.settling * static_cast<double>(s.steps));
  return std::min(1.0, left);
}

/// Matrix (rows, cols) times a vector, in double.
std::vector<double> times(const Tensor& matrix, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.dim(0)));
  for (std::size_t r = 0; r < y.size(); ++r) {
    const std::span<const float> row = matrix.matrix().row(static_cast<Index>(r));
    for (std::size_t c = 0; c < row.size(); ++c) y[r] += static_cast<double>(row[c]) * x[c];
  }
  return y;
}

Tensor withColumns(const Tensor& matrix, const std::vector<float>& factors) {
  Tensor scaled = matrix.clone();
  for (Index r = 0; r < scaled.dim(0); ++r) {
    float* row = scaled.mutableData() + r * scaled.dim(1);
    for (std::size_t c = 0; c < factors.size(); ++c) row[c] *= factors[c];
  }
  return scaled;
}

const Pins& noPins() {
  static const Pins none;
  return none;
}

}  // namespace

/// One step on one batch: forward, the answers, backward.
class LayerLearner::Step {
 public:
  Step(const LayerLearner& of, const ExecutionContext& execution)
      : of_(of),
        execution_(execution),
        batch_(of.curriculum_->next(of.memory_)),
        config_(configFor(of.config_, batch_.asked)),
        threads_(
            threadsFor(3 * ledger(config_).flops, execution.threads, execution.flopsPerThread)),
        tensors_(config_, noPins()) {
    execution_.memory = of.memory_;
    tensors_.put(TensorId::x, batch_.x);
    for (const TensorId id : kMatrices) tensors_.put(id, of.value(id));
    if (config_.switches->bias) {
      for (const TensorId id : kBiases) tensors_.put(id, of.value(id));
    }
  }

  /// Returns false where it was cancelled.
  bool run() {
    const ScopedThreadLimit threads(threads_);
    const std::optional<StepsDone> done = runSteps(tensors_, nullptr, execution_);
    if (!done) return false;
    overflowed_ = done->overflowed;
    values_ = inConcat(of_.curriculum_->values(batch_, of_.firstWv_, execution_), config_);
    if (execution_.stop()) return false;
    ask();
    if (execution_.stop()) return false;
    return runBackward(*gradients_, execution_, StepId::output, StepId::concat) && backToScores() &&
           runBackward(*gradients_, execution_, StepId::project, StepId::project);
  }
  int threads() const { return threads_; }

  const Tensor& gradient(TensorId id) const { return gradients_->tensor(id); }
  const Answers& answers() const { return answers_; }
  bool finite() const { return !overflowed_ && std::isfinite(answers_.loss); }

 private:
  static AttentionConfig configFor(AttentionConfig config, const AskedBatch& batch) {
    config.batch = batch.count;
    config.seqLen = batch.length;
    config.mask.lengths = batch.lengths;
    return config;
  }

  void ask() {
    answers_ = of_.readout_->ask(tensors_.tensor(TensorId::output), values_, batch_.asked,
                                 of_.parameters_.back().value, execution_);
    gradients_.emplace(tensors_, std::move(answers_.gradOutput));
    gradients_->skipGradient(TensorId::x);
  }
  bool backToScores() {
    if (!runBackward(*gradients_, execution_, StepId::weigh, StepId::scale)) return false;
    ScorePenalties(of_.settings_, config_).addTo(*gradients_, execution_);
    return runBackward(*gradients_, execution_, StepId::score, StepId::split);
  }

  const LayerLearner& of_;
  ExecutionContext execution_;
  TrainingBatch batch_;
  AttentionConfig config_;
  int threads_;
  AttentionTensors tensors_;
  bool overflowed_ = false;
  Tensor values_;
  Answers answers_;
  std::optional<Gradients> gradients_;
};

LayerLearner::LayerLearner(const AttentionConfig& sizes, std::uint64_t seed,
                           const LearningSettings& settings)
    : config_(sizesToLearn(sizes, settings.domain)),
      settings_(settings),
      curriculum_(curriculumFor(settings_, config_.dModel, seed)) {
  memory_->keepFree(kMemoryKept);
  const Weights start = drawWeights(config_, WeightInit::xavier, seed);
  const auto learn = [&](TensorId id, Tensor tensor) {
    const bool learned = settings_.learnsValues || saysWhere(id);
    if (learned) learned_.push_back(id);
    (learned ? parameters_ : fixed_)
        .push_back({std::string(headscope::info(id).name), std::move(tensor), {}, {}, {}});
  };
  learn(TensorId::wQ, start.wQ);
  learn(TensorId::wK, start.wK);
  learn(TensorId::wV, identityValues(config_, *curriculum_, seed));
  learn(TensorId::wO, orthogonal(config_.dModel, config_.queryWidth(), seed));
  if (config_.switches->bias) {
    for (const TensorId id : kBiases) learn(id, Tensor::zeros(shapeOf(id, config_)));
  }
  const std::vector<float> none(kLayerQuestions, kFirstNone);
  parameters_.push_back(
      {"none", Tensor::fromValues({static_cast<Index>(kLayerQuestions)}, none), {}, {}, {}});
  firstWv_ = value(TensorId::wV).clone();
  readout_ = std::make_unique<TiedReadout>(value(TensorId::wO));
}

LayerLearner::~LayerLearner() = default;

bool LayerLearner::step(const ExecutionContext& execution) {
  Step step(*this, execution);
  if (!step.run()) return false;
  take(step);
  return true;
}

/// Applies the optimiser to the gradients of a step.
void LayerLearner::take(const Step& step) {
  for (std::size_t i = 0; i < learned_.size(); ++i) {
    parameters_[i].gradient = step.gradient(learned_[i]);
  }
  parameters_.back().gradient = step.answers().gradNone;
  const ScopedThreadLimit threads(step.threads());
  OptimiserSettings optimiser = settings_.optimiser;
  optimiser.learningRate *= rateAt(stepsDone_, settings_);
  const double length = takeStep(parameters_, optimiser, stepsDone_ + 1, {});
  for (Parameter& parameter : parameters_) parameter.gradient = {};
  if (!step.finite() || !std::isfinite(length)) {
    throw UserError(
        fmt::format("step {} of learning gave a number that is not finite: try another seed",
                    withThousands(stepsDone_ + 1)));
  }
  curriculum_->learned();
  ++stepsDone_;
  stats_.push_back({step.answers().loss, step.answers().right});
  if (std::ssize(stats_) > kRecentStats) stats_.pop_front();
}

double LayerLearner::loss() const {
  double sum = 0.0;
  for (const BatchStats& batch : stats_) sum += batch.loss;
  return stats_.empty() ? 0.0 : sum / static_cast<double>(stats_.size());
}

std::array<double, kLayerQuestions> LayerLearner::right() const {
  std::array<double, kLayerQuestions> mean{};
  for (const BatchStats& batch : stats_) {
    for (std::size_t q = 0; q < kLayerQuestions; ++q) {
      mean[q] += batch.right[q] / static_cast<double>(stats_.size());
    }
  }
  return mean;
}

Weights LayerLearner::weights() const {
  const auto bias = [&](TensorId id) {
    return config_.switches->bias ? value(id).clone() : Tensor::zeros(shapeOf(id, config_));
  };
  Weights w{withColumns(value(TensorId::wQ), curriculum_->columnFactors()),
            withColumns(value(TensorId::wK), curriculum_->columnFactors()),
            withColumns(value(TensorId::wV), curriculum_->columnFactors()),
            value(TensorId::wO).clone(),
            bias(TensorId::bQ),
            bias(TensorId::bK),
            bias(TensorId::bV),
            bias(TensorId::bO)};
  if (!config_.switches->bias) return w;
  const std::vector<double> centre = times(value(TensorId::wK), curriculum_->meanX());
  for (std::size_t i = 0; i < centre.size(); ++i) {
    w.bK.mutableData()[i] = static_cast<float>(-centre[i]);
  }
  return w;
}

const Tensor& LayerLearner::value(TensorId id) const {
  for (const auto* parameters : {&parameters_, &fixed_}) {
    for (const Parameter& parameter : *parameters) {
      if (parameter.name == headscope::info(id).name) return parameter.value;
    }
  }
  throw std::logic_error("no such parameter");
}

bool learnsQuickly(const AttentionConfig& sizes) {
  constexpr Index kParameters = 10'000'000;  // at most a second for each million
  return ledger(sizes).parameters.total <= kParameters;
}

LearningSettings usualSettings(const TrainingDomain& domain) {
  LearningSettings settings;
  settings.domain = domain;
  if (!domain.series()) return settings;
  settings.steps = 150;
  settings.batch = 12;
  settings.optimiser.learningRate = 1e-2;
  settings.learnsValues = false;
  return settings;
}

std::optional<Weights> learnLayer(const AttentionConfig& sizes, const TrainingDomain& domain,
                                  std::uint64_t seed, const ExecutionContext& execution,
                                  const std::function<void(const LayerLearner&)>& tell) {
  LayerLearner learner(sizes, seed, usualSettings(domain));
  while (!learner.done()) {
    if (!learner.step(execution)) return std::nullopt;
    if (tell) tell(learner);
  }
  return learner.weights();
}

std::vector<std::size_t> askedOfHead(Index head, const AttentionConfig& c) {
  const Index begin = head * c.dK();
  const Index end = begin + c.dK();
  std::vector<std::size_t> asked;
  for (std::size_t question = 0; question < kLayerQuestions; ++question) {
    const auto columns = columnsOfQuestion(static_cast<Index>(question), c.queryWidth());
    if (columns.begin < end && begin < columns.begin + columns.count) asked.push_back(question);
  }
  return asked;
}

std::vector<WordQuestion> questionsOfHead(Index head, const AttentionConfig& config) {
  std::vector<WordQuestion> questions;
  for (const std::size_t each : askedOfHead(head, config)) {
    questions.push_back(static_cast<WordQuestion>(each));
  }
  return questions;
}

std::vector<AskedQuestion> questionsOf(const TrainingDomain& domain) {
  std::vector<AskedQuestion> questions;
  const auto add = [&](const auto& all) {
    for (const auto& each : all) {
      questions.push_back({questions.size(), each.name, each.title, each.words});
    }
  };
  if (domain.series()) {
    add(seriesQuestions());
  } else {
    add(wordQuestions());
  }
  return questions;
}

}  // namespace headscope::training
