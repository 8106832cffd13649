// Model trace: one pass of a whole model: the residual stream before, between and after the halves
// of each layer, each layer's attention as a Trace, and the predictions at each token.
//
// All hidden states are held. The layers' traces are far larger: only the first ones that fit a
// budget are held. The others are computed again on request, bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/model/experts.h"
#include "core/model/model_document.h"
#include "core/model/prediction.h"

namespace headscope::model {

/// Runs one pass. `previous` may be null; the layers before the first one that differs from it are
/// taken from there, and within that layer the steps whose operands are equal. Held traces take at
/// most `budgetBytes`. Null where `execution` was cancelled. Throws UserError where a pass does not
/// fit the memory, for a weight that is not finite, naming tensor and cell, and where a number
/// overflows, naming the part of the model and the token.
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
  /// The trace, after the last unit; null where it was cancelled.
  ModelTracePtr trace() const;

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

/// The results of one pass. Safe on any thread.
class ModelTrace {
 public:
  const ModelDocument& document() const { return *document_; }
  const ModelDocumentPtr& documentPtr() const { return document_; }
  const ModelConfig& config() const { return document_->model->config(); }
  Index layers() const { return config().layers; }
  Index tokens() const { return document_->tokens(); }

  /// The residual stream (1, T, D) after `half` halves: 2ℓ is the input of layer ℓ, 2ℓ + 1 the
  /// stream after its attention, 2L the output of the last layer. Where norms follow the sums,
  /// after the norm.
  const Tensor& hidden(Index half) const { return hidden_[static_cast<std::size_t>(half)]; }
  /// The hidden states 0 … depth() of the configuration, as Hugging Face's transformers numbers
  /// them: the input of each layer, and the last one after the final norm (CLIP: before it).
  Tensor hiddenState(Index depth) const;
  /// The input of the readout: the last hidden state after the final norm, if there is one.
  const Tensor& last() const { return last_; }
  /// The last hidden state as transformers gives it.
  Tensor lastHiddenState() const;
  /// The rows of logits: one for each token; of an image one alone, at its class token.
  Index logitRows() const;

  /// The experts of each token in a layer, in descending order of their scores; empty where the
  /// layer has no experts.
  std::vector<std::vector<ChosenExpert>> experts(Index layer) const;

  /// The trace of a layer's attention; computed again where it is not held.
  TracePtr layer(Index layer) const;
  /// A layer's attention as a separate document, whose passes hold as much as fits the budget.
  DocumentPtr documentOfLayer(Index layer, Index budgetBytes) const;
  bool held(Index layer) const { return traces_[static_cast<std::size_t>(layer)] != nullptr; }

  /// Rows [row, row + rows) of the logits: (1, rows, V). Throws UserError for a model without a
  /// readout, where they do not fit half of the memory, and where one overflows. Uses the pass's
  /// threads, or those of `execution`.
  Tensor logits(Index row, Index rows) const;
  Tensor logits(Index row, Index rows, const ExecutionContext& execution) const;
  /// The logits of a row before a soft cap: (1, 1, V).
  Tensor uncappedLogits(Index row, const ExecutionContext& execution) const;
  /// The most probable tokens at a row, in descending order; where logits are equal, the lower id
  /// comes first.
  std::vector<TokenProbability> predictions(Index row, std::size_t count) const;
  /// The predictions at each of the rows [row, row + rows). Rows that are left when `execution` is
  /// cancelled get an empty list.
  std::vector<std::vector<TokenProbability>> predictions(
      Index row, Index rows, std::size_t count, const ExecutionContext& execution = {}) const;

  /// Calls `call` for each of the rows with its logits (V), some rows at a time, on as many threads
  /// as the pass took, in any order. Rows that are left when `execution` is cancelled are skipped.
  void overLogits(Index row, Index rows, const ExecutionContext& execution,
                  const std::function<void(Index row, std::span<const float> logits)>& call) const;

  /// The number of layers that were run, not taken from the previous pass.
  Index layersRun() const { return layersRun_; }
  double ms = 0.0;  // of the pass alone

 private:
  friend class ModelPass;
  explicit ModelTrace(ModelDocumentPtr document) : document_(std::move(document)) {}
  Tensor logitsAs(const ModelConfig& config, Index row, Index rows,
                  const ExecutionContext& execution) const;
  Tensor attentionInput(Index layer, const ExecutionContext& execution) const;

  ModelDocumentPtr document_;
  int threads_ = 0;
  std::vector<Tensor> hidden_;    // 2L + 1
  std::vector<TracePtr> traces_;  // L; null: not held
  Tensor last_;
  Index layersRun_ = 0;

  mutable std::mutex mutex_;
  mutable TracePtr lookedAt_;  // the latest trace that was computed again
  mutable Index lookedAtLayer_ = -1;
};

}  // namespace headscope::model
