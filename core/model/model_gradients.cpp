#include "core/model/model_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/gradients.h"
#include "core/attention/ledger.h"
#include "core/attention/steps/linear.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/norms.h"
#include "core/model/overflow.h"
#include "core/model/readout.h"
#include "core/model/said_word.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

/// The scores that the backward pass of a layer's attention reads.
ScoreStorage scoresForGradients(const Document& document) {
  const AttentionConfig& c = document.config;
  const bool fromRawScores = c.dropout.on() || c.mistakes.softmaxOverQueries ||
                             !document.pins.of(TensorId::weights).empty();
  return fromRawScores ? ScoreStorage::all : ScoreStorage::weights;
}

/// Leaves out the products that only gradients of weights need.
void skipWeights(Gradients& gradients) {
  for (const TensorId id :
       {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO, TensorId::pairBias}) {
    gradients.skipGradient(id);
  }
}

/// Counts the results of all layers, the weights of the layer at work, and two gradients of that
/// size.
Index bytesForGradients(const ModelConfig& c, Index tokens, const std::vector<Site>& others) {
  Index width = c.heads * c.headDim + c.dModel;
  for (const Site site : others) {
    width += isOfHeads(site) ? c.heads * c.headDim : site == Site::neurons ? c.ffWidth : c.dModel;
  }
  const Index results = c.layers * tokens * width;
  const Index scores = 3 * c.heads * tokens * tokens;
  return (results + scores) * static_cast<Index>(sizeof(float));
}

void requireRoomForGradients(const ModelTrace& trace, const std::vector<Site>& others) {
  const Index bytes = bytesForGradients(trace.config(), trace.tokens(), others);
  const Index most = defaultMemoryBudget() / 2;
  if (bytes <= most) return;
  throw UserError(trFormat(
      "the gradients of {} tokens through {} need {}, more than half of the memory budget of {}: "
      "give fewer tokens",
      withThousands(trace.tokens()), trace.document().model->name(), bytesInWords(bytes),
      bytesInWords(defaultMemoryBudget())));
}

}  // namespace

Tensor ModelGradients::inLayer(Site site, Index layer) const {
  if (site == Site::heads) {
    const Shape& s = heads.shape();
    return heads.slice(0, layer, layer + 1).reshaped({s[1], s[2], s[3]});
  }
  if (site == Site::residual) {
    const Shape& s = residual.shape();
    return residual.slice(0, layer, layer + 1).reshaped({s[1], s[2]});
  }
  const Tensor& all = others.at(site)[static_cast<std::size_t>(layer)];
  if (all.empty()) return all;
  const Shape& s = all.shape();
  return isOfHeads(site) ? all.reshaped({s[1], s[2], s[3]}) : all.reshaped({s[1], s[2]});
}

ModelBackward::ModelBackward(ModelTracePtr trace, Tensor gradLast,
                             const ExecutionContext& execution, const std::vector<Site>& others)
    : trace_(std::move(trace)), execution_(execution), layer_(trace_->layers()) {
  requireRoomForGradients(*trace_, others);
  const ModelConfig& c = trace_->config();
  for (const Site site : others) {
    if (site == Site::heads || site == Site::residual) continue;
    const std::string why = whyWithout(site, *trace_->document().model);
    if (!why.empty()) throw UserError(why);
    found_.others[site].resize(static_cast<std::size_t>(c.layers));
  }
  const Index tokens = trace_->tokens();
  found_.heads = Tensor::uninitialised({c.layers, c.heads, tokens, c.headDim});
  found_.residual = Tensor::uninitialised({c.layers, tokens, c.dModel});
  if (c.crossAttention) found_.memory = Tensor::zeros(trace_->document().memory->last().shape());
  gradStream_ = normalizedBackward(trace_->hidden(2 * c.layers), gradLast,
                                   trace_->document().model->readout()->norm, c, execution_);
}

bool ModelBackward::runUnit() {
  if (layer_ == 0 || execution_.stop()) return true;
  --layer_;
  throughLayer();
  return layer_ == 0;
}

std::optional<ModelGradients> ModelBackward::found() const {
  if (layer_ > 0 || execution_.stop()) return std::nullopt;
  return found_;
}

/// The layer's attention with the scores that its backward pass reads.
TracePtr ModelBackward::attentionOf(Index layer) const {
  TracePtr attention = trace_->layer(layer);
  const ScoreStorage needed = scoresForGradients(attention->document());
  const bool all = needed == ScoreStorage::all;
  if (attention->holds(TensorId::weights) && (!all || attention->holds(TensorId::rawScores))) {
    return attention;
  }
  Document again = attention->document();
  again.scoreStorage = needed;
  return runAttention(std::make_shared<const Document>(std::move(again)), nullptr, execution_);
}

void ModelBackward::throughLayer() {
  const ModelConfig& c = trace_->config();
  const Index tokens = trace_->tokens();
  const LayerWeightsPtr weights = trace_->document().model->layer(layer_);
  const Tensor& stream = trace_->hidden(2 * layer_);
  const Tensor& half = trace_->hidden(2 * layer_ + 1);
  const TracePtr attention = attentionOf(layer_);
  if (attention == nullptr) return;  // cancelled
  const ScopedThreadLimit threads(threadsFor(2 * ledger(attention->config()).flops,
                                             execution_.threads, execution_.flopsPerThread));
  const AfterNetworkGradients network =
      afterNetworkBackward(stream, half, gradStream_, *weights, c, execution_);
  const AfterAttentionGradients added = afterAttentionBackward(
      stream, attention->tensor(TensorId::output), network.half, *weights, c, execution_);
  gradOutput_ = added.output;
  Gradients gradients(*attention, added.output);
  skipWeights(gradients);
  if (!runBackward(gradients, execution_)) return;
  gradStream_ =
      sum(added.stream,
          attentionInputBackward(stream, gradients.tensor(TensorId::x), *weights, c, execution_),
          1.0, execution_);
  if (!network.stream.empty()) gradStream_ = sum(gradStream_, network.stream, 1.0, execution_);
  if (execution_.stop()) return;
  // the products mix tokens, so that the first one that is not finite says nothing
  requireInRange(gradStream_, [&](Index /*token*/) {
    return trFormat("the gradient of {}'s input in {}", c.layerInWords(layer_),
                    trace_->document().model->name());
  });
  if (c.readsMemory(layer_)) {
    found_.memory = sum(found_.memory, gradients.tensor(TensorId::memory), 1.0, execution_);
  }
  keep(Site::network, network.addition);
  keep(Site::residualMid, network.half);
  keep(Site::networkInput, network.input);
  if (found_.others.contains(Site::neurons) && !network.output.empty()) {
    keep(Site::neurons, linearInputGradient(network.output, weights->feedForward.down, execution_));
  }
  keep(Site::attention, added.stream);
  for (const Site side : {Site::q, Site::k, Site::v}) {
    keep(side, gradients.tensor(tensorOf(side)));
  }
  const Tensor heads = gradients.tensor(TensorId::heads).clone();
  std::copy_n(heads.data(), heads.size(), found_.heads.mutableData() + layer_ * heads.size());
  std::copy_n(gradStream_.data(), tokens * c.dModel,
              found_.residual.mutableData() + layer_ * tokens * c.dModel);
}

/// Keeps a gradient of the present layer if its site was asked for.
void ModelBackward::keep(Site site, Tensor gradient) {
  const auto wanted = found_.others.find(site);
  if (wanted == found_.others.end()) return;
  wanted->second[static_cast<std::size_t>(layer_)] = std::move(gradient).clone();
}

Tensor gradLastOfLogit(const ModelTrace& trace, Index row, Index word, std::optional<Index> other,
                       const ExecutionContext& execution) {
  requireWord(trace, row, word);
  if (other) requireWord(trace, row, *other);
  const ModelConfig& c = trace.config();
  Tensor dLogits = Tensor::zeros({1, 1, c.vocabulary});
  dLogits.mutableData()[word] += 1.0F;
  if (other) dLogits.mutableData()[*other] -= 1.0F;
  const ScopedThreadLimit threads(
      threadsFor(2 * c.dModel * c.vocabulary, execution.threads, execution.flopsPerThread));
  const Tensor ofRow = logitsBackward(readoutInput(trace.last(), c).slice(1, row, row + 1), dLogits,
                                      *trace.document().model->readout(), c, execution);
  return readoutInputBackward(ofRow, row, trace.last().shape(), c);
}

std::optional<ModelGradients> gradientsOfLogit(const ModelTracePtr& trace, Index row, Index word,
                                               std::optional<Index> other,
                                               const ExecutionContext& execution,
                                               const std::vector<Site>& others) {
  ModelBackward backward(trace, gradLastOfLogit(*trace, row, word, other, execution), execution,
                         others);
  while (!backward.runUnit()) continue;
  return backward.found();
}

std::optional<ModelGradients> gradientsOfEncoder(const ModelTrace& decoder,
                                                 const ModelGradients& gradients,
                                                 const ExecutionContext& execution,
                                                 const std::vector<Site>& others) {
  ModelBackward backward(decoder.document().memory, gradients.memory, execution, others);
  while (!backward.runUnit()) continue;
  return backward.found();
}

std::optional<Tensor> gradOutputOfLayer(const ModelTracePtr& trace, Stack stack, Index layer,
                                        Tensor gradLast, const ExecutionContext& execution) {
  ModelBackward backward(trace, std::move(gradLast), execution);
  const Index from = stack == Stack::encoder ? 0 : layer;
  for (Index at = trace->layers(); at > from; --at) backward.runUnit();
  if (execution.stop()) return std::nullopt;
  if (stack == Stack::decoder) return backward.outputGradient();
  const auto found = backward.found();
  if (!found) return std::nullopt;  // cancelled just now
  return gradOutputOfLayer(passOf(trace, Stack::encoder), Stack::decoder, layer, found->memory,
                           execution);
}

}  // namespace headscope::model
