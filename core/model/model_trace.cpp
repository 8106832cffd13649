#include "core/model/model_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/attention/ledger.h"
#include "core/attention/steps/linear.h"
#include "core/attention/weight_tensors.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/model/blocks.h"
#include "core/model/edited_layer.h"
#include "core/model/image_embedding.h"
#include "core/model/norms.h"
#include "core/model/overflow.h"
#include "core/model/readout.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

/// The multiply-adds of the feed-forward products of one layer.
Index feedForwardFlops(const ModelConfig& c, Index tokens) {
  const Experts& e = c.experts;
  const Index width = std::max(c.ffWidth, e.perToken * e.width + e.shared);
  return 2 * tokens * c.dModel * width * (c.gated ? 3 : 2);
}

/// Enough for the product to run at its best, few enough for any vocabulary.
constexpr Index kLogitRowsAtOnce = 64;
/// The cost of one logit, in floating-point operations: its exponential and its rank.
constexpr Index kFlopsOfLogit = 16;

Index floatBytes(Index count) { return count * static_cast<Index>(sizeof(float)); }

/// Returns whether layer ℓ of two documents is equal in everything but its input.
bool sameLayer(const ModelDocument& a, const ModelDocument& b, Index layer) {
  const auto ofA = a.edited.find(layer);
  const auto ofB = b.edited.find(layer);
  if (ofA == a.edited.end() && ofB == b.edited.end()) return true;
  if (ofA == a.edited.end() || ofB == b.edited.end()) return false;
  const EditedLayer& editedA = *ofA->second;
  const EditedLayer& editedB = *ofB->second;
  return editedA.config == editedB.config && editedA.pins == editedB.pins &&
         sameTensors(editedA.weights, editedB.weights);
}

/// Returns whether the cross-attention of two documents reads the same.
bool sameMemory(const ModelDocument& a, const ModelDocument& b) {
  return a.memory == b.memory ||
         (a.memory->last().sameAs(b.memory->last()) &&
          a.memory->document().input.tokens == b.memory->document().input.tokens);
}

}  // namespace

/// Computes a trace, layer by layer.
class ModelPass::Running {
 public:
  Running(const ModelDocumentPtr& document, ModelTracePtr previous,
          const ExecutionContext& execution, Index budgetBytes)
      : document_(document),
        config_(document->model->config()),
        previous_(std::move(previous)),
        execution_(execution),
        left_(budgetBytes),
        trace_(new ModelTrace(document)) {
    if (previous_ != nullptr && previous_->document().model != document->model) previous_ = nullptr;
    trace_->threads_ = execution.threads;
    const Index tokens = document->tokens();
    const Index states = (2 * config_.layers + 1) * floatBytes(tokens * config_.dModel);
    const Index inner = 2 * floatBytes(tokens * config_.ffWidth);
    const Index needed = states + inner;
    if (needed > left_) {
      throw UserError(trFormat(
          "{} tokens need {} for the hidden states alone, more than the memory budget of {}: give "
          "fewer",
          withThousands(tokens), bytesInWords(needed), bytesInWords(left_)));
    }
    left_ -= needed;
    const AttentionConfig attention = config_.attention(0, tokens);
    // weights are read of every layer, raw scores only of a layer that is inspected
    held_ = std::max(ScoreStorage::weights, scoresToHold(attention, budgetBytes));
    if (execution_.memory == nullptr) return;
    // as much as the previous pass frees: its results and the inputs of its layers
    const Index each = ledger(attention, held_).resultBytes + floatBytes(tokens * config_.dModel);
    execution_.memory->keepFree(needed + std::min(left_, config_.layers * each));
  }

  /// True after the last layer, or where the pass was cancelled.
  bool runUnit() {
    if (ended_) return true;
    const double start = clockSeconds();
    const ScopedThreadLimit threads(threadsFor(feedForwardFlops(config_, document_->tokens()),
                                               execution_.threads, execution_.flopsPerThread));
    if (layer_ == 0) takeEmbedding();
    if (layer_ < config_.layers) {
      if (!takeFromBefore(layer_) && !compute(layer_)) return ended_ = true;
      ++layer_;
    }
    ended_ = layer_ == config_.layers;
    if (ended_) {
      finish();
      done_ = !execution_.stop();
    }
    trace_->ms += millisecondsSince(start);
    return ended_;
  }
  ModelTracePtr trace() const { return done_ ? trace_ : nullptr; }

 private:
  static std::size_t at(Index layer) { return static_cast<std::size_t>(layer); }

  void takeEmbedding() {
    if (previous_ != nullptr && previous_->document().input.ids == document_->input.ids &&
        previous_->document().input.types == document_->input.types &&
        previous_->document().input.pixels == document_->input.pixels &&
        sameSteering(*document_, previous_->document(), 0)) {
      trace_->hidden_.push_back(previous_->hidden(0));
      return;
    }
    const ModelInput& input = document_->input;
    const auto embedding = document_->model->embedding();
    const Tensor embedded = input.pixels != nullptr
                                ? embedImage(*embedding, config_, *input.pixels, execution_)
                                : embed(*embedding, config_, input.ids, input.types, execution_);
    trace_->hidden_.push_back(steered(*document_, 0, embedded, 0, document_->tokens()));
    requireInRange(trace_->hidden_.back(), tr("the embedding"));
  }

  /// Takes a layer from the previous pass where none of its operands differs. Returns whether it
  /// did.
  bool takeFromBefore(Index layer) {
    if (previous_ == nullptr || previous_->document().input.tokens != document_->input.tokens ||
        !trace_->hidden_.back().sameAs(previous_->hidden(2 * layer)) ||
        !sameLayer(*document_, previous_->document(), layer) ||
        !sameSteering(*document_, previous_->document(), layer + 1) ||
        (config_.readsMemory(layer) && !sameMemory(*document_, previous_->document()))) {
      return false;
    }
    trace_->hidden_.push_back(previous_->hidden(2 * layer + 1));
    trace_->hidden_.push_back(previous_->hidden(2 * layer + 2));
    trace_->traces_.push_back(nullptr);
    if (previous_->held(layer)) hold(layer, previous_->layer(layer));
    return true;
  }

  /// False where the pass was cancelled.
  bool compute(Index layer) {
    const LayerWeightsPtr weights = document_->model->layer(layer);
    const TracePtr attention = runAttentionOf(layer);
    if (attention == nullptr) return false;
    trace_->traces_.push_back(nullptr);
    hold(layer, attention);
    const Tensor stream = trace_->hidden_.back();
    Tensor half =
        afterAttention(stream, attention->tensor(TensorId::output), *weights, config_, execution_);
    Tensor whole = afterNetwork(stream, half, *weights, config_, execution_);
    if (execution_.stop()) return false;
    requireInRange(half, config_.attentionInWords(layer));
    requireInRange(whole, trFormat("layer {}'s feed-forward network", config_.depthOf(layer) + 1));
    trace_->hidden_.push_back(std::move(half));
    trace_->hidden_.push_back(steered(*document_, layer + 1, whole, 0, document_->tokens()));
    ++trace_->layersRun_;
    return true;
  }

  TracePtr runAttentionOf(Index layer) {
    TracePtr before;
    Tensor x;
    if (previous_ != nullptr && previous_->held(layer)) {
      before = previous_->layer(layer);
      // an equal hidden state gives an equal X: the steps that depend on X alone are not run again
      if (trace_->hidden_.back().sameAs(previous_->hidden(2 * layer))) {
        x = before->tensor(TensorId::x);
      }
    }
    if (x.empty()) x = trace_->attentionInput(layer, execution_);
    if (execution_.stop()) return nullptr;
    requireInRange(x, tr("the norm before ") + config_.attentionInWords(layer));
    try {
      // a large model keeps one copy of its weights
      const bool drops = document_->model->layer(layer)->keptInHalves();
      return runLayerAttention(layerDocument(*document_, layer, std::move(x), held_), before,
                               execution_, drops ? PackedAfter::dropped : PackedAfter::kept);
    } catch (const UserError& error) {
      throw UserError(trFormat("{} in {}: {}", config_.attentionInWords(layer),
                               document_->model->name(), error.what()));
    }
  }

  void hold(Index layer, const TracePtr& trace) {
    const Index bytes = ledger(trace->config(), held_).residentBytes;
    if (bytes > left_) return;
    left_ -= bytes;
    trace_->traces_[at(layer)] = trace;
  }

  /// Throws UserError where a number overflows. Does nothing after a cancellation: unfinished rows
  /// hold no results.
  void requireInRange(const Tensor& rows, const std::string& part) const {
    if (execution_.stop()) return;
    model::requireInRange(rows, [&](Index token) {
      return trFormat("{} at token {} of {}", part, token, document_->model->name());
    });
  }

  void finish() {
    const Tensor& end = trace_->hidden_.back();
    if (previous_ != nullptr && end.sameAs(previous_->hidden(2 * config_.layers))) {
      trace_->last_ = previous_->last();
      return;
    }
    trace_->last_ = normalized(end, document_->model->readout()->norm, config_, execution_);
    requireInRange(trace_->last_, tr("the final norm"));
  }

  ModelDocumentPtr document_;
  const ModelConfig& config_;
  ModelTracePtr previous_;
  const ExecutionContext execution_;
  Index left_;  // of the budget
  ScoreStorage held_;
  std::shared_ptr<ModelTrace> trace_;
  Index layer_ = 0;     // the next
  bool ended_ = false;  // done or cancelled
  bool done_ = false;
};

ModelPass::ModelPass(const ModelDocumentPtr& document, const ModelTracePtr& previous,
                     const ExecutionContext& execution, Index budgetBytes)
    : running_(std::make_unique<Running>(document, previous, execution, budgetBytes)) {}
ModelPass::~ModelPass() = default;

bool ModelPass::runUnit() { return running_->runUnit(); }
ModelTracePtr ModelPass::trace() const { return running_->trace(); }

ModelTracePtr runModel(const ModelDocumentPtr& document, const ModelTracePtr& previous,
                       const ExecutionContext& execution, Index budgetBytes) {
  ModelPass pass(document, previous, execution, budgetBytes);
  while (!pass.runUnit()) continue;
  return pass.trace();
}

Tensor ModelTrace::attentionInput(Index layer, const ExecutionContext& execution) const {
  return model::attentionInput(hidden(2 * layer), *document_->model->layer(layer), config(),
                               execution);
}

std::vector<std::vector<ChosenExpert>> ModelTrace::experts(Index layer) const {
  if (!config().experts.at(layer)) return {};
  const LayerWeightsPtr weights = document_->model->layer(layer);
  const ExecutionContext execution{.threads = threads_};
  const Tensor input =
      networkInput(hidden(2 * layer), hidden(2 * layer + 1), *weights, config(), execution);
  return chosenExperts(input, weights->experts, config(), execution);
}

Tensor ModelTrace::lastHiddenState() const {
  return config().finalNormPooled ? hidden(2 * layers()) : last_;
}

Index ModelTrace::logitRows() const {
  return config().reads == Reads::everyToken ? tokens() : Index{1};
}

Tensor ModelTrace::hiddenState(Index depth) const {
  if (depth == config().depth() && config().lastStateNormed) return last_;
  return hidden(2 * depth * (config().crossAttention ? 2 : 1));
}

TracePtr ModelTrace::layer(Index layer) const {
  if (held(layer)) return traces_[static_cast<std::size_t>(layer)];
  const std::lock_guard lock(mutex_);
  if (lookedAtLayer_ == layer) return lookedAt_;
  ExecutionContext execution;
  execution.threads = threads_;
  lookedAt_ = runAttention(layerDocument(*document_, layer, attentionInput(layer, execution)),
                           nullptr, execution);
  lookedAtLayer_ = layer;
  return lookedAt_;
}

DocumentPtr ModelTrace::documentOfLayer(Index layer, Index budgetBytes) const {
  Document own = this->layer(layer)->document();
  own.scoreStorage = scoresToHold(own.config, budgetBytes);
  return std::make_shared<const Document>(std::move(own));
}

Tensor ModelTrace::logits(Index row, Index rows) const {
  return logits(row, rows, {.threads = threads_});
}

Tensor ModelTrace::logits(Index row, Index rows, const ExecutionContext& execution) const {
  return logitsAs(config(), row, rows, execution);
}

Tensor ModelTrace::uncappedLogits(Index row, const ExecutionContext& execution) const {
  if (config().logitCap == 0.0) return logits(row, 1, execution);
  ModelConfig uncapped = config();
  uncapped.logitCap = 0.0;
  return logitsAs(uncapped, row, 1, execution);
}

Tensor ModelTrace::logitsAs(const ModelConfig& config, Index row, Index rows,
                            const ExecutionContext& execution) const {
  const Model& model = *document_->model;
  if (!model.hasReadout()) {
    throw UserError(trFormat("{} has no {}, so it has no logits: open a model with one",
                             model.name(),
                             config.image.on() ? tr("classifier") : tr("language-model head")));
  }
  const Index bytes = floatBytes(rows * config.vocabulary);
  if (bytes > defaultMemoryBudget() / 2) {
    throw UserError(trFormat("the logits of {} tokens need {}: ask for fewer", withThousands(rows),
                             bytesInWords(bytes)));
  }
  const ScopedThreadLimit threads(
      threadsFor(2 * rows * config.dModel * config.vocabulary, execution.threads));
  const Tensor part = readoutInput(last_, config).slice(1, row, row + rows);
  return logitsOf(part, *model.readout(), config, execution, [&](Index place) {
    return trFormat("the logits at token {} of {}", row + place, model.name());
  });
}

std::vector<TokenProbability> ModelTrace::predictions(Index row, std::size_t count) const {
  return predictions(row, 1, count).front();
}

std::vector<std::vector<TokenProbability>> ModelTrace::predictions(
    Index row, Index rows, std::size_t count, const ExecutionContext& execution) const {
  std::vector<std::vector<TokenProbability>> best(static_cast<std::size_t>(rows));
  overLogits(row, rows, execution, [&](Index place, std::span<const float> logits) {
    best[static_cast<std::size_t>(place - row)] = mostProbable(logits, count);
  });
  return best;
}

void ModelTrace::overLogits(
    Index row, Index rows, const ExecutionContext& execution,
    const std::function<void(Index row, std::span<const float> logits)>& call) const {
  ExecutionContext inTurn = execution;
  inTurn.threads = threads_;
  inTurn.memory = std::make_shared<BlockStore>();  // reused from one part to the next
  inTurn.memory->keepFree(floatBytes(kLogitRowsAtOnce * config().vocabulary));
  const Index end = row + rows;
  for (Index begin = row; begin < end && !execution.stop(); begin += kLogitRowsAtOnce) {
    const Index part = std::min(kLogitRowsAtOnce, end - begin);
    const Tensor logits = this->logits(begin, part, inTurn);
    if (execution.stop()) return;
    const ScopedThreadLimit threads(
        threadsFor(part * config().vocabulary * kFlopsOfLogit, threads_, inTurn.flopsPerThread));
    parallelFor(part, inTurn, [&](Index i) { call(begin + i, logits.matrix({0}).row(i)); });
  }
}

}  // namespace headscope::model
