// Learned layer: weights for one attention layer that were trained to answer eight questions about
// words (sentences.h) or about time steps (series_windows.h), read through a tied readout
// (tied_readout.h). The result is general: in any sentence, or in any series of that many channels,
// its heads mostly look at the questions' answers.
//
// Two penalties keep the scores moderate during training, so that weights stay soft and the scale
// 1/√d_k visibly decides how sharp they are.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/attention/config.h"
#include "core/attention/weights.h"
#include "core/input/training_domain.h"
#include "core/training/curriculum.h"
#include "core/training/optimiser.h"
#include "core/training/sentences.h"
#include "core/training/series_windows.h"
#include "core/training/tied_readout.h"

namespace headscope::training {

/// The default settings, found by measurement to work for sentences.
struct LearningSettings {
  TrainingDomain domain;
  Index steps = 160;
  double settling = 0.4;  // the share of steps, at the end, in which the rate falls to 0
  Index batch = 24;
  OptimiserSettings optimiser{.learningRate = 3e-3, .weightDecay = 0.5};
  /// True if W_V and W_O are learned too; otherwise they keep their initial values.
  bool learnsValues = true;
  double classFactor = 4.0;     // factor of the kind's columns during training
  double sizePenalty = 6e-3;    // · mean (raw / √d_k)²
  double mostScore = 5.0;       // largest free distance from the row's mean
  double excessPenalty = 32.0;  // · mean (excess over mostScore)²
};
/// The settings that work for a domain, found by measurement.
LearningSettings usualSettings(const TrainingDomain& domain);

class LayerLearner {
 public:
  /// Uses the sizes and the bias of the configuration; scores are scaled and unmasked during
  /// training. Throws UserError where no layer of these sizes can learn: the memory has another
  /// width, or the layer does not fit the memory budget.
  LayerLearner(const AttentionConfig& sizes, std::uint64_t seed,
               const LearningSettings& settings = {});
  ~LayerLearner();
  LayerLearner(const LayerLearner&) = delete;
  LayerLearner& operator=(const LayerLearner&) = delete;

  /// Takes one step on the next batch. Returns false where it was cancelled: the parameters are
  /// unchanged, and the next call takes the same step. Throws UserError where a number is no longer
  /// finite. The bits do not depend on the number of threads.
  bool step(const ExecutionContext& execution);

  Index stepsDone() const { return stepsDone_; }
  bool done() const { return stepsDone_ >= settings_.steps; }
  const LearningSettings& settings() const { return settings_; }
  /// The loss, and the share of places with a partner whose answer was right, by question. Both are
  /// averages over the last few batches, each before its step.
  double loss() const;
  std::array<double, kLayerQuestions> right() const;

  /// The current weights, for the embedded X. b_K centres the scores (b_K = −W_K · mean x), which
  /// changes no attention weight.
  Weights weights() const;

 private:
  class Step;

  const Tensor& value(TensorId id) const;
  void take(const Step& step);

  AttentionConfig config_;
  LearningSettings settings_;
  std::unique_ptr<BatchSource> curriculum_;
  std::vector<TensorId> learned_;
  std::vector<Parameter> parameters_;  // of learned_, and the bias of "none"
  std::vector<Parameter> fixed_;       // with their initial values
  Tensor firstWv_;
  std::unique_ptr<TiedReadout> readout_;
  BlockStorePtr memory_ = std::make_shared<BlockStore>();
  Index stepsDone_ = 0;
  struct BatchStats {
    double loss;
    std::array<double, kLayerQuestions> right;
  };
  std::deque<BatchStats> stats_;  // the latest batches
};

/// Returns whether training a layer of these sizes takes only seconds.
bool learnsQuickly(const AttentionConfig& sizes);

/// Runs all steps. `tell` is called after each step. Returns nothing where it was cancelled.
std::optional<Weights> learnLayer(const AttentionConfig& sizes, const TrainingDomain& domain,
                                  std::uint64_t seed, const ExecutionContext& execution,
                                  const std::function<void(const LayerLearner&)>& tell = {});

/// The numbers of the questions that a head was trained for: those asked of its columns.
std::vector<std::size_t> askedOfHead(Index head, const AttentionConfig& config);
/// The questions that a head of a layer trained on sentences was trained for.
std::vector<WordQuestion> questionsOfHead(Index head, const AttentionConfig& config);

/// A question about words or about time steps.
struct AskedQuestion {
  std::size_t number;  // index in questionsOf
  std::string_view name, title, words;
};
/// All questions that are asked of a layer, in order.
std::vector<AskedQuestion> questionsOf(const TrainingDomain& domain);

}  // namespace headscope::training
