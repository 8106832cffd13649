// Model trace: one pass of a whole model: the residual stream before, between and after the halves
// of each layer, each layer's attention as a Trace, and what the model says at each token.
//
// All hidden states are held; of the layers' traces, which are far larger, the first so many that
// fit a budget. What is not held is computed again when it is asked for, bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/document/trace.h"
#include "core/model/model_document.h"
#include "core/model/prediction.h"

namespace headscope::model {

class ModelTrace;
using ModelTracePtr = std::shared_ptr<const ModelTrace>;

/// One pass. `previous` may be null; what comes before the first layer that differs from it is
/// taken from there, and of the steps of that layer those whose operands are the same. Traces held
/// take at most `budgetBytes`. Null where `execution` was cancelled. Throws UserError where a pass
/// does not fit the memory, for a weight that is not finite, naming tensor and cell, and where a
/// number overflows, naming the part of the model and the token.
ModelTracePtr runModel(const ModelDocumentPtr& document, const ModelTracePtr& previous,
                       const ExecutionContext& execution, Index budgetBytes);

/// runModel unit by unit: one layer after the other.
class ModelPass {
 public:
  ModelPass(const ModelDocumentPtr& document, const ModelTracePtr& previous,
            const ExecutionContext& execution, Index budgetBytes);
  ~ModelPass();
  ModelPass(const ModelPass&) = delete;
  ModelPass& operator=(const ModelPass&) = delete;

  /// Runs the next layer. True after the last one, or where it was cancelled. Throws as runModel
  /// does.
  bool runUnit();
  /// After the last unit: null where it was cancelled.
  ModelTracePtr trace() const;

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

/// What may be asked on any thread.
class ModelTrace {
 public:
  const ModelDocument& document() const { return *document_; }
  const ModelDocumentPtr& documentPtr() const { return document_; }
  const ModelConfig& config() const { return document_->model->config(); }
  Index layers() const { return config().layers; }
  Index tokens() const { return document_->tokens(); }

  /// The residual stream (1, T, D): 2ℓ is what layer ℓ is given, 2ℓ + 1 what its attention has
  /// added to, 2L what the last layer gives. Where norms follow the sums, after the norm.
  const Tensor& hidden(Index half) const { return hidden_[static_cast<std::size_t>(half)]; }
  /// As transformers gives them, 0 … L: what each layer is given, and the last after the final
  /// norm.
  Tensor hiddenState(Index layer) const;
  /// What the readout reads: the last hidden state after the final norm, if there is one.
  const Tensor& last() const { return last_; }

  /// A layer's attention; computed again where it is not held.
  TracePtr layer(Index layer) const;
  /// It as a document of its own, whose passes hold all that fits the budget.
  DocumentPtr documentOfLayer(Index layer, Index budgetBytes) const;
  bool held(Index layer) const { return traces_[static_cast<std::size_t>(layer)] != nullptr; }

  /// Rows [row, row + rows) of the logits: (1, rows, V). Throws UserError for a model without a
  /// readout, where they do not fit half of the memory, and where one overflows. With the pass's
  /// threads, or as told.
  Tensor logits(Index row, Index rows) const;
  Tensor logits(Index row, Index rows, const ExecutionContext& execution) const;
  /// The most probable tokens at a place, the first of them first; of equals the lower id.
  std::vector<Prediction> predictions(Index row, std::size_t count) const;
  /// The same at each of [row, row + rows); empty for those left when `execution` is cancelled.
  std::vector<std::vector<Prediction>> predictions(Index row, Index rows, std::size_t count,
                                                   const ExecutionContext& execution = {}) const;

  /// Calls for each of these places with its logits (V), some rows at a time, on as many threads as
  /// the pass took, in any order. Not for those left when `execution` is cancelled.
  void overLogits(Index row, Index rows, const ExecutionContext& execution,
                  const std::function<void(Index row, std::span<const float> logits)>& call) const;

  /// How many layers were run, not taken from the pass before.
  Index layersRun() const { return layersRun_; }
  double ms = 0.0;  // of the pass alone

 private:
  friend class ModelPass;
  explicit ModelTrace(ModelDocumentPtr document) : document_(std::move(document)) {}
  Tensor attentionInput(Index layer, const ExecutionContext& execution) const;

  ModelDocumentPtr document_;
  int threads_ = 0;
  std::vector<Tensor> hidden_;    // 2L + 1
  std::vector<TracePtr> traces_;  // L; null: not held
  Tensor last_;
  Index layersRun_ = 0;

  mutable std::mutex mutex_;
  mutable TracePtr lookedAt_;  // the last that was computed again
  mutable Index lookedAtLayer_ = -1;
};

}  // namespace headscope::model
