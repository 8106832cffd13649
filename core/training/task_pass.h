// TaskModel pass: one forward and backward pass of a model over a batch of examples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/gradients.h"
#include "core/document/fwd.h"
#include "core/training/task_model.h"

namespace headscope::training {

struct Roles;

/// A pass over some examples, forward and optionally backward, with its results. The model and the
/// examples must live as long as it does.
class TaskPass {
 public:
  TaskPass(const TaskModel& model, const Examples& examples);
  ~TaskPass();
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

  const AttentionConfig& config() const { return *config_; }
  const Examples& examples() const { return *examples_; }
  Index layers() const { return std::ssize(layers_); }
  const AttentionTensors& layer(Index layer) const { return *layers_[at(layer)]; }
  const Gradients& gradients(Index layer) const { return *gradients_[at(layer)]; }
  const Tensor& output() const { return output_; }  // h_L (B,T,D)
  const Tensor& logits() const { return logits_; }  // (B,T,C)
  /// Returns whether a number of some layer left the range of float32.
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
  std::unique_ptr<const AttentionConfig> config_;
  std::optional<Index> offIn_;                        // the layer with a head switched off
  std::unique_ptr<const AttentionConfig> offConfig_;  // of that layer
  Pins noPins_;
  std::vector<std::unique_ptr<AttentionTensors>> layers_;
  std::vector<std::unique_ptr<Gradients>> gradients_;
  Tensor output_, logits_;
  bool overflowed_ = false;
};

/// A layer of the model on one of the examples, as a document: configuration, the layer's input as
/// X, its weights, the names of the places, and the relation that each head has by `roles` (null:
/// none).
DocumentPtr documentOf(const TaskPass& pass, const TaskModel& model, Index layer, Index example,
                       const Roles* roles, Index memoryBudgetBytes);

}  // namespace headscope::training
