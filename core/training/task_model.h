// TaskModel: the small attention-only transformer that is trained: embedding, layers of multi-head
// attention with residual, one linear readout for each question. No MLP, no layer norm, no biases
// but the readout's (as in Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits").
//
//   h_0 = Σ embedding_f[symbol_f] + positions, or series · input + positions   (B,T,D)
//   h_l+1 = h_l + attention_l(h_l)                                             (B,T,D)
//   logits = h_L Uᵀ + b, the questions' side by side                           (B,T,C)
//
// Its layers run the engine's own steps, forward and backward.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/attention/gradients.h"
#include "core/document/document.h"
#include "core/training/optimiser.h"
#include "core/training/task.h"

namespace headscope::training {

inline constexpr Index kMostLayers = 8;

/// The attention settings of each of the model's layers for `examples` examples.
AttentionConfig attentionOf(const Task& task, const ModelSettings& settings, Index examples);

/// The number of weights that such a model learns.
Index parameterCount(const Task& task, const ModelSettings& settings);

/// The number of threads worth using for a forward pass over `examples` examples.
int threadsOfPass(const Task& task, const ModelSettings& settings, Index examples,
                  const ExecutionContext& execution);

class TaskModel {
 public:
  /// Draws the initial parameters from N(0, 1/d), from streams of the seed. The task must live as
  /// long as this does; the settings must be valid (see checkTraining in trainer.h).
  TaskModel(const Task& task, const ModelSettings& settings, std::uint64_t seed);
  TaskModel(const TaskModel&) = delete;
  TaskModel& operator=(const TaskModel&) = delete;

  const Task& task() const { return *task_; }
  const ModelSettings& settings() const { return settings_; }

  /// "embedding.0" … or "input", "positions", "layers.0.W_Q" …, "readout.<question>.weight" (its
  /// classes, D) and ".bias". Readouts of all questions are views of one matrix.
  std::span<Parameter> parameters() { return parameters_; }
  std::span<const Parameter> parameters() const { return parameters_; }

  /// W_Q, W_K, W_V or W_O.
  const Parameter& weight(Index layer, TensorId id) const {
    return parameters_[weightPlace(layer, id)];
  }

 private:
  friend class TaskPass;
  struct Readout {
    Tensor weight, bias;  // (C, D), (C)
  };
  std::size_t weightPlace(Index layer, TensorId id) const;

  const Task* task_;
  ModelSettings settings_;
  std::size_t inputs_ = 0;  // embeddings, or the one matrix of a series
  std::vector<Parameter> parameters_;
  Readout readout_, readoutGradient_;
};

/// A pass over some examples, forward and optionally backward, with its results. The model and the
/// examples must live as long as it does.
class TaskPass {
 public:
  TaskPass(const TaskModel& model, const Examples& examples);
  TaskPass(const TaskPass&) = delete;
  TaskPass& operator=(const TaskPass&) = delete;

  /// Switches a head off from the next forward on: it adds nothing to its layer's output (gain 0).
  void switchOff(const HeadOfLayer& head);
  /// Runs the forward pass. Returns false where `execution` was cancelled; the results are then
  /// invalid. `before` (may be null) is a pass of equal parameters over the same examples; results
  /// that still hold are taken from it.
  bool forward(const ExecutionContext& execution, const TaskPass* before = nullptr);
  /// Computes the gradient of every parameter of the model from that of the logits. Returns false
  /// where cancelled.
  bool backward(TaskModel& model, const Tensor& gradLogits, const ExecutionContext& execution);

  const AttentionConfig& config() const { return config_; }
  const Examples& examples() const { return *examples_; }
  Index layers() const { return std::ssize(layers_); }
  const AttentionTensors& layer(Index layer) const { return *layers_[at(layer)]; }
  const Gradients& gradients(Index layer) const { return *gradients_[at(layer)]; }
  const Tensor& output() const { return output_; }  // h_L (B,T,D)
  const Tensor& logits() const { return logits_; }  // (B,T,C)
  /// Whether a number of some layer left the range of float32.
  bool overflowed() const { return overflowed_; }
  /// The first cell that is not finite: "layers.0.raw_scores[3, 0, 1, 2]"; empty where every number
  /// of the pass is finite.
  std::string firstNotFinite() const;

 private:
  static std::size_t at(Index layer) { return static_cast<std::size_t>(layer); }
  Tensor embedded(const ExecutionContext& execution) const;
  void embeddingGradients(TaskModel& model, const Tensor& dh,
                          const ExecutionContext& execution) const;

  const TaskModel* model_;
  const Examples* examples_;
  AttentionConfig config_;
  std::optional<Index> offIn_;  // the layer with a head switched off
  AttentionConfig offConfig_;   // of that layer
  Pins noPins_;
  std::vector<std::unique_ptr<AttentionTensors>> layers_;
  std::vector<std::unique_ptr<Gradients>> gradients_;
  Tensor output_, logits_;
  bool overflowed_ = false;
};

/// A layer of the model on one of the examples, as a document: configuration, the layer's input as
/// X, its weights, the names of the places.
DocumentPtr documentOf(const TaskPass& pass, const TaskModel& model, Index layer, Index example,
                       Index memoryBudgetBytes);

}  // namespace headscope::training
