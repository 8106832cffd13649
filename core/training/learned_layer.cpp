#include "core/training/learned_layer.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "core/attention.h"
#include "core/error.h"
#include "core/gradients.h"
#include "core/input/embedding.h"
#include "core/input/lexicon.h"
#include "core/ledger.h"
#include "core/steps/linear.h"

namespace headscope::training {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;

constexpr std::array kMatrices{TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO};
constexpr std::array kBiases{TensorId::bQ, TensorId::bK, TensorId::bV, TensorId::bO};

constexpr float kFirstNone = 2.0F;
constexpr Index kSentencesForMean = 512;
constexpr Index kMemoryKept = 256 << 20;
/// Sentences for so many batches are drawn at once and sorted, so that little is padding.
constexpr Index kBatchesDrawnAtOnce = 4;

/// A parameter has its value, gradient, mean and square; the matrices are packed for products, and
/// the readout keeps W_O twice as it was.
void requireRoom(const AttentionConfig& config) {
  constexpr Index kCopies = 7;
  const Index needed =
      kCopies * ledger(config).parameters.total * static_cast<Index>(sizeof(float));
  if (needed <= defaultMemoryBudget()) return;
  throw UserError(
      fmt::format("learning weights of d_model {} needs {} of memory, more than the {} there are "
                  "for it: choose "
                  "a smaller d_model, or weights that are not learned",
                  config.dModel, bytesInWords(needed), bytesInWords(defaultMemoryBudget())));
}

AttentionConfig sizesToLearn(const AttentionConfig& asked) {
  AttentionConfig config;
  config.dModel = asked.dModel;
  config.numHeads = asked.numHeads;
  config.numKvHeads = asked.numKvHeads;
  config.headDim = asked.headDim;
  config.bias = asked.bias;
  config.seqLen = kLongestSentence;
  if (asked.kvWidth() != asked.dModel) {
    throw UserError(fmt::format(
        "weights for a memory of {} features cannot be learned from sentences, which are {} wide: "
        "leave the memory's width at d_model, or choose other weights than learned ones",
        asked.kvWidth(), asked.dModel));
  }
  auto problems = validate(config);
  if (!problems.empty()) throw UserError(std::move(problems));
  requireRoom(config);
  return config;
}

/// Rows and columns at right angles: Q of a matrix of normals (Saxe et al. 2014).
Tensor orthogonal(Index rows, Index cols, std::uint64_t seed) {
  const bool wide = cols > rows;
  Tensor drawn = Tensor::uninitialised({std::max(rows, cols), std::min(rows, cols)});
  const std::array draws{
      Draw{&drawn, RandomStream(seed, "orthogonal W_O"), Distribution::normal, 1.0F}};
  draw(draws);
  const MatrixMap map(drawn.mutableData(), drawn.dim(0), drawn.dim(1));
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(map);
  Tensor result = Tensor::uninitialised({rows, cols});
  const Eigen::MatrixXf q =
      qr.householderQ() * Eigen::MatrixXf::Identity(drawn.dim(0), drawn.dim(1));
  MatrixMap(result.mutableData(), rows, cols) = wide ? Matrix(q.transpose()) : Matrix(q);
  return result;
}

/// V reads what a word is, its identity, and nothing else.
Tensor identityValues(const AttentionConfig& c, const Layout& layout, std::uint64_t seed) {
  const ColumnRange identity = layout.rest;
  Tensor drawn = Tensor::uninitialised({c.dKv(), identity.count});
  const QuestionColumns block = columnsOfQuestion(0, c.queryWidth());
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(block.count)));
  const std::array draws{
      Draw{&drawn, RandomStream(seed, "identity W_V"), Distribution::normal, scale}};
  draw(draws);
  Tensor wV = Tensor::zeros({c.dKv(), c.dModel});
  for (Index row = 0; row < c.dKv(); ++row) {
    std::copy_n(drawn.data() + row * identity.count, identity.count,
                wV.mutableData() + row * c.dModel + identity.begin);
  }
  return wV;
}

/// Values (words, D_kv) as they stand in the concatenated heads: once for each head that reads
/// them.
Tensor inConcat(const Tensor& values, const AttentionConfig& c) {
  if (c.numKvHeads == c.numHeads) return values;
  Tensor result = Tensor::uninitialised({values.dim(0), c.queryWidth()});
  for (Index word = 0; word < values.dim(0); ++word) {
    for (Index head = 0; head < c.numHeads; ++head) {
      std::copy_n(values.data() + word * c.dKv() + c.kvHead(head) * c.dK(), c.dK(),
                  result.mutableData() + word * c.queryWidth() + head * c.dK());
    }
  }
  return result;
}

/// A row of X for each word, without positions.
Tensor embeddedWords(const std::vector<std::string>& words, Index width) {
  std::vector<std::vector<std::string>> alone;
  for (const std::string& word : words) alone.push_back({word});
  return embedText(alone, 1, width, Positions::none).x.reshaped({std::ssize(words), width});
}

/// What a position adds to it.
Tensor embeddedPlaces(Index width) {
  const std::vector<std::vector<std::string>> same(
      1, std::vector<std::string>(static_cast<std::size_t>(kLongestSentence), "the"));
  Tensor x = embedText(same, kLongestSentence, width, Positions::named).x;
  const Tensor without = embedText(same, kLongestSentence, width, Positions::none).x;
  for (Index i = 0; i < x.size(); ++i) x.mutableData()[i] -= without.data()[i];
  return x.reshaped({kLongestSentence, width});
}

/// Adds to grad.raw_scores what the two penalties give.
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

  void addTo(Gradients& gradients, const Execution& execution) const {
    const AttentionConfig& c = gradients.config();
    const Tensor& raw = gradients.values().tensor(TensorId::rawScores);
    Tensor& grad = gradients.mutableTensor(TensorId::rawScores);
    overPieces(c.batch * c.numHeads, execution, [&](Index piece) {
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

/// What a step's learning rate is multiplied by: 1, and towards the end less and less, so that what
/// was learned settles.
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

/// What each column is multiplied by while it is learned from: word classes stand out.
std::vector<float> classFactors(const Layout& layout, double factor) {
  std::vector<float> factors;
  for (const std::string& name : layout.names) {
    bool isClass = false;
    for (std::size_t i = 0; i < kWordClasses; ++i) {
      isClass = isClass || name == toString(static_cast<WordClass>(i));
    }
    factors.push_back(isClass ? static_cast<float>(factor) : 1.0F);
  }
  return factors;
}

const Pins& noPins() {
  static const Pins none;
  return none;
}

}  // namespace

LayerLearner::LayerLearner(const AttentionConfig& sizes, std::uint64_t seed,
                           const LearningSettings& settings)
    : config_(sizesToLearn(sizes)),
      settings_(settings),
      draws_(seed, "sentences to learn from"),
      words_(sentenceWords()),
      wordRows_(embeddedWords(words_, config_.dModel)),
      placeRows_(embeddedPlaces(config_.dModel)) {
  memory_->keepFree(kMemoryKept);
  const Layout layout = textLayout(config_.dModel);
  columnFactors_ = classFactors(layout, settings_.classFactor);
  wordRows_ = withColumns(wordRows_, columnFactors_);
  findMean(seed);
  const Weights start = drawWeights(config_, WeightInit::xavier, seed);
  const auto learn = [&](TensorId id, Tensor tensor) {
    parameters_.push_back({std::string(headscope::info(id).name), std::move(tensor), {}, {}, {}});
  };
  learn(TensorId::wQ, start.wQ);
  learn(TensorId::wK, start.wK);
  learn(TensorId::wV, identityValues(config_, layout, seed));
  learn(TensorId::wO, orthogonal(config_.dModel, config_.queryWidth(), seed));
  if (config_.bias) {
    for (const TensorId id : kBiases) learn(id, Tensor::zeros(shapeOf(id, config_)));
  }
  const std::vector<float> none(kWordQuestions, kFirstNone);
  parameters_.push_back(
      {"none", Tensor::fromValues({static_cast<Index>(kWordQuestions)}, none), {}, {}, {}});
  const Tensor values = linear(wordRows_.reshaped({1, wordRows_.dim(0), config_.dModel}),
                               value(TensorId::wV), {}, {});
  readout_ = std::make_unique<TiedReadout>(
      value(TensorId::wO), inConcat(values.reshaped({values.dim(1), values.dim(2)}), config_));
}

bool LayerLearner::step(const Execution& execution) {
  Execution own = execution;
  own.memory = memory_;
  const SentenceBatch batch = nextBatch();
  AttentionConfig c = config_;
  c.batch = batch.count;
  c.seqLen = batch.length;
  c.mask.lengths = batch.lengths;
  const Index flops = ledger(c).flops;
  const ThreadCount threads(threadsFor(3 * flops, own.threads, own.flopsPerThread));

  AttentionTensors tensors(c, noPins());
  tensors.put(TensorId::x, embed(batch));
  for (const TensorId id : kMatrices) tensors.put(id, value(id));
  if (c.bias) {
    for (const TensorId id : kBiases) tensors.put(id, value(id));
  }
  const std::optional<StepsDone> done = runSteps(tensors, nullptr, own);
  if (!done) return false;
  Answers answers =
      readout_->ask(tensors.tensor(TensorId::output), batch, parameters_.back().value, own);
  if (own.stop()) return false;
  Gradients gradients(tensors, std::move(answers.gradOutput));
  gradients.leaveOut(TensorId::x);
  if (!runBackward(gradients, own, StepId::output, StepId::scale)) return false;
  ScorePenalties(settings_, c).addTo(gradients, own);
  if (!runBackward(gradients, own, StepId::score, StepId::project)) return false;

  std::size_t next = 0;
  for (const TensorId id : kMatrices) parameters_[next++].gradient = gradients.tensor(id);
  if (c.bias) {
    for (const TensorId id : kBiases) parameters_[next++].gradient = gradients.tensor(id);
  }
  parameters_.back().gradient = std::move(answers.gradNone);
  OptimiserSettings optimiser = settings_.optimiser;
  optimiser.learningRate *= rateAt(stepsDone_, settings_);
  const double length = takeStep(parameters_, optimiser, stepsDone_ + 1, Execution{own.threads});
  for (Parameter& parameter : parameters_) parameter.gradient = {};
  if (done->overflowed || !std::isfinite(answers.loss) || !std::isfinite(length)) {
    throw UserError(
        fmt::format("learning came to a number that is not finite in step {}: try another seed",
                    stepsDone_ + 1));
  }
  drawn_.erase(drawn_.end() - settings_.batch, drawn_.end());
  ++stepsDone_;
  told_.push_back({answers.loss, answers.right});
  if (std::ssize(told_) > kBatchesDrawnAtOnce) told_.pop_front();
  return true;
}

double LayerLearner::loss() const {
  double sum = 0.0;
  for (const Told& told : told_) sum += told.loss;
  return told_.empty() ? 0.0 : sum / static_cast<double>(told_.size());
}

std::array<double, kWordQuestions> LayerLearner::right() const {
  std::array<double, kWordQuestions> mean{};
  for (const Told& told : told_) {
    for (std::size_t q = 0; q < kWordQuestions; ++q) {
      mean[q] += told.right[q] / static_cast<double>(told_.size());
    }
  }
  return mean;
}

Weights LayerLearner::weights() const {
  const auto bias = [&](TensorId id) {
    return config_.bias ? value(id).clone() : Tensor::zeros(shapeOf(id, config_));
  };
  Weights w{withColumns(value(TensorId::wQ), columnFactors_),
            withColumns(value(TensorId::wK), columnFactors_),
            withColumns(value(TensorId::wV), columnFactors_),
            value(TensorId::wO).clone(),
            bias(TensorId::bQ),
            bias(TensorId::bK),
            bias(TensorId::bV),
            bias(TensorId::bO)};
  if (!config_.bias) return w;
  const std::vector<double> centre = times(value(TensorId::wK), meanX_);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    w.bK.mutableData()[i] = static_cast<float>(-centre[i]);
  }
  return w;
}

/// Of X as it is learned from.
void LayerLearner::findMean(std::uint64_t seed) {
  Draws draws(seed, "sentences for the mean of X");
  std::vector<Sentence> sentences;
  for (Index i = 0; i < kSentencesForMean; ++i) sentences.push_back(drawSentence(draws));
  const SentenceBatch batch(sentences, words_);
  const Tensor x = embed(batch);
  meanX_.assign(static_cast<std::size_t>(config_.dModel), 0.0);
  Index rows = 0;
  for (Index item = 0; item < batch.count; ++item) {
    const ConstMatrixView matrix = x.matrixOf(item, 0);
    for (Index i = 0; i < batch.lengths[static_cast<std::size_t>(item)]; ++i, ++rows) {
      for (std::size_t c = 0; c < meanX_.size(); ++c) {
        meanX_[c] += static_cast<double>(matrix(i, static_cast<Index>(c)));
      }
    }
  }
  for (double& mean : meanX_) mean /= static_cast<double>(rows);
}

SentenceBatch LayerLearner::nextBatch() {
  if (drawn_.empty()) {
    for (Index i = 0; i < kBatchesDrawnAtOnce * settings_.batch; ++i) {
      drawn_.push_back(drawSentence(draws_));
    }
    std::stable_sort(drawn_.begin(), drawn_.end(), [](const Sentence& a, const Sentence& b) {
      return a.words.size() < b.words.size();
    });
  }
  return {std::vector<Sentence>(drawn_.end() - settings_.batch, drawn_.end()), words_};
}

Tensor LayerLearner::embed(const SentenceBatch& batch) const {
  Tensor x = Tensor::uninitialised({batch.count, batch.length, config_.dModel}, memory_);
  std::fill_n(x.mutableData(), x.size(), 0.0F);
  for (Index item = 0; item < batch.count; ++item) {
    for (Index place = 0; place < batch.lengths[static_cast<std::size_t>(item)]; ++place) {
      const std::span<const float> word = wordRows_.matrix().row(batch.word(item, place));
      const std::span<const float> where = placeRows_.matrix().row(place);
      std::transform(word.begin(), word.end(), where.begin(),
                     x.mutableMatrixOf(item, 0).row(place).begin(), std::plus<>());
    }
  }
  return x;
}

const Tensor& LayerLearner::value(TensorId id) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == headscope::info(id).name) return parameter.value;
  }
  throw std::logic_error("no such parameter");
}

bool learnsQuickly(const AttentionConfig& sizes) {
  constexpr Index kParameters = 10'000'000;  // a second for each million, and less
  return ledger(sizes).parameters.total <= kParameters;
}

std::optional<Weights> learnLayer(const AttentionConfig& sizes, std::uint64_t seed,
                                  const Execution& execution,
                                  const std::function<void(const LayerLearner&)>& tell) {
  LayerLearner learner(sizes, seed);
  while (!learner.done()) {
    if (!learner.step(execution)) return std::nullopt;
    if (tell) tell(learner);
  }
  return learner.weights();
}

std::vector<WordQuestion> questionsOfHead(Index head, const AttentionConfig& c) {
  const Index begin = head * c.dK();
  const Index end = begin + c.dK();
  std::vector<WordQuestion> questions;
  for (const WordQuestionInfo& each : wordQuestions()) {
    const auto columns = columnsOfQuestion(static_cast<Index>(each.question), c.queryWidth());
    if (columns.begin < end && begin < columns.begin + columns.count) {
      questions.push_back(each.question);
    }
  }
  return questions;
}

}  // namespace headscope::training
