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

#include "core/attention/tensor_id.h"
#include "core/base/execution.h"
#include "core/training/optimiser.h"
#include "core/training/task.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

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

}  // namespace headscope::training
