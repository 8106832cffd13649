// Learned layer: weights for one attention layer that were trained to answer eight questions about
// words (sentences.h) or about time steps (series_windows.h), read through a tied readout
// (tied_readout.h). What comes out is general: heads that look, in any sentence, or in any series
// of so many channels, where the questions' answers mostly are.
//
// Scores are kept of ordinary size while it learns, by two penalties, so that weights stay soft and
// 1/√d_k decides between a peak and a choice.
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
#include "core/attention/weights.h"
#include "core/input/training_domain.h"
#include "core/training/curriculum.h"
#include "core/training/optimiser.h"
#include "core/training/sentences.h"
#include "core/training/series_windows.h"
#include "core/training/tied_readout.h"

namespace headscope::training {

/// What was measured to work for sentences.
struct LearningSettings {
  TrainingDomain domain;
  Index steps = 120;
  double settling = 0.4;  // of the steps, the last, in which the learning rate falls to 0
  Index batch = 32;
  OptimiserSettings optimiser{.learningRate = 3e-3, .weightDecay = 0.5};
  /// Whether W_V and W_O are learned too, or stay as they were drawn.
  bool learnsValues = true;
  double classFactor = 3.0;     // the kind of word or step stands out by this while it learns
  double sizePenalty = 6e-3;    // · mean (raw / √d_k)²
  double mostScore = 4.5;       // scores may be so far from their row's mean
  double excessPenalty = 32.0;  // · mean (what they are beyond it)²
};
/// The settings that were measured to work for a domain.
LearningSettings usualSettings(const TrainingDomain& domain);

class LayerLearner {
 public:
  /// Of the configuration the sizes and the bias alone count; scores are scaled and unmasked while
  /// it learns. Throws UserError where no layer of these sizes can learn: one whose memory is of
  /// another width, or that would not fit the memory.
  LayerLearner(const AttentionConfig& sizes, std::uint64_t seed,
               const LearningSettings& settings = {});
  ~LayerLearner();
  LayerLearner(const LayerLearner&) = delete;
  LayerLearner& operator=(const LayerLearner&) = delete;

  /// Takes one step on the next batch. False where it was cancelled: nothing was learned then, and
  /// the next call takes the same step. Throws UserError where a number is no longer finite. The
  /// bits do not depend on the number of threads.
  bool step(const ExecutionContext& execution);

  Index stepsDone() const { return stepsDone_; }
  bool done() const { return stepsDone_ >= settings_.steps; }
  const LearningSettings& settings() const { return settings_; }
  /// Over the last few batches, each before its step: what the answers cost, and the share of
  /// places with a partner that were given a right one, by question.
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
  std::vector<Parameter> parameters_;  // of those, and the bias of "none"
  std::vector<Parameter> fixed_;       // as they were drawn
  Tensor firstWv_;
  std::unique_ptr<TiedReadout> readout_;
  BlockStorePtr memory_ = std::make_shared<BlockStore>();
  Index stepsDone_ = 0;
  struct BatchStats {
    double loss;
    std::array<double, kLayerQuestions> right;
  };
  std::deque<BatchStats> stats_;  // of the last batches
};

/// Whether a layer of these sizes is learned in some seconds.
bool learnsQuickly(const AttentionConfig& sizes);

/// All steps. `tell` is called after each; nothing where it was cancelled.
std::optional<Weights> learnLayer(const AttentionConfig& sizes, const TrainingDomain& domain,
                                  std::uint64_t seed, const ExecutionContext& execution,
                                  const std::function<void(const LayerLearner&)>& tell = {});

/// The questions that a head was trained for, by number: those asked of its columns.
std::vector<std::size_t> askedOfHead(Index head, const AttentionConfig& config);
/// The same of a layer that learned from sentences.
std::vector<WordQuestion> questionsOfHead(Index head, const AttentionConfig& config);

/// A question about words or about time steps.
struct AskedQuestion {
  std::size_t number;  // in its order
  std::string_view name, title, words;
};
/// All that are asked of a layer, in order.
std::vector<AskedQuestion> questionsOf(const TrainingDomain& domain);

}  // namespace headscope::training
