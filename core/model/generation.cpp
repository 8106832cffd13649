#include "core/model/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/rotary_row.h"
#include "core/attention/steps/linear.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/edited_layer.h"
#include "core/model/norms.h"
#include "core/model/overflow.h"
#include "core/model/readout.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

/// One row of heads side by side, (1, 1, H · d_k), as (1, H, 1, d_k).
Tensor rowInHeads(const Tensor& row, Index heads) {
  return row.reshaped({1, heads, 1, row.dim(2) / heads});
}

/// The layer's settings for one new token alone.
AttentionConfig ofOneToken(const AttentionConfig& layer) {
  AttentionConfig one = layer;
  one.seqLen = 1;
  one.mask = {};
  return one;
}

/// The layer's settings for one new token that attends to `keys` keys, already normalised and
/// rotated.
AttentionConfig overKeys(const AttentionConfig& layer, Index keys) {
  AttentionConfig over = ofOneToken(layer);
  over.memoryLen = keys;
  over.firstQuery = keys - 1;
  over.rotary = {};
  over.headNorm = {};
  return over;
}

/// A row's query or key as the scores read it: normalised and rotated where the layer does so.
Tensor madeReady(Tensor row, TensorId plain, const AttentionConfig& layer, Index position) {
  const AttentionConfig one = ofOneToken(layer);
  if (layer.headNorm.on()) {
    const Pins none;
    AttentionTensors tensors(one, none);
    const TensorId normed = plain == TensorId::q ? TensorId::qNorm : TensorId::kNorm;
    tensors.put(plain, row);
    tensors.put(normed, normalizeStep().memory(normed, one, nullptr));
    normalizeStep().compute(tensors, normed, Box{0, 0, 0, 1, 0, one.dK()});
    row = tensors.tensor(normed);
  }
  if (!layer.rotary.on()) return row;
  const RotaryRow turn(layer.rotary, one.dK(), rotaryFrequencies(layer.rotary, one.dK()), position);
  Tensor turned = Tensor::uninitialised(row.shape());
  for (Index head = 0; head < row.dim(1); ++head) {
    turn.apply(row.matrix({0, head}).data, turned.mutableMatrix({0, head}).data);
  }
  return turned;
}

/// Copies the rows of all heads into the cache, starting at token `from`.
void keep(const Tensor& rows, Tensor& cache, Index from) {
  for (Index head = 0; head < rows.dim(1); ++head) {
    const ConstMatrixView in = rows.matrix({0, head});
    const MatrixView out = cache.mutableMatrix({0, head});
    for (Index i = 0; i < in.rows; ++i) std::ranges::copy(in.row(i), out.row(from + i).begin());
  }
}

}  // namespace

std::string whyNoGeneration(const Model& model) {
  if (!model.config().causal) {
    return trFormat(
        "{} predicts hidden tokens from both sides and cannot continue a text; open a GPT-2 or "
        "Llama model for that",
        model.name());
  }
  return {};
}

Index layerCacheBytes(const ModelConfig& config, Index tokens) {
  return 2 * tokens * config.kvHeads * config.headDim * static_cast<Index>(sizeof(float));
}

namespace {

/// The keys and values of the memory in all cross-attention.
Index memoryBytesOf(const ModelTrace& trace) {
  const ModelConfig& c = trace.config();
  Index bytes = 0;
  for (Index layer = 0; layer < c.layers; ++layer) {
    if (c.readsMemory(layer)) bytes += layerCacheBytes(c, trace.document().memory->tokens());
  }
  return bytes;
}

/// The keys and values of all layers.
Index cacheBytesOf(const ModelTrace& trace, Index tokens) {
  const ModelConfig& c = trace.config();
  Index bytes = memoryBytesOf(trace);
  for (Index layer = 0; layer < c.layers; ++layer) {
    if (!c.readsMemory(layer)) bytes += layerCacheBytes(c, tokens);
  }
  return bytes;
}

bool hasPins(const ModelDocument& document) {
  return std::ranges::any_of(document.edited,
                             [](const auto& each) { return !each.second->pins.empty(); });
}

}  // namespace

Decoder::Decoder(Beginning from, Index mostNew) : from_(std::move(from.pass)) {
  if (from.whole != nullptr && hasPins(*from.whole)) pinned_ = std::move(from.whole);
  const ModelConfig& c = from_->config();
  const Model& model = *from_->document().model;
  if (const std::string why = whyNoGeneration(model); !why.empty()) throw UserError(why);
  tokens_ = from_->tokens();
  room_ = std::min(tokens_ + mostNew, c.positions);
  if (room_ <= tokens_) {
    throw UserError(trFormat("{} takes at most {} tokens and the text has {}: give a shorter one",
                             model.name(), withThousands(c.positions), tokens_));
  }
  const Index bytes = cacheBytesOf(*from_, room_);
  if (bytes > defaultMemoryBudget() / 2) {
    throw UserError(trFormat("keys and values of {} tokens need {}: ask for fewer",
                             withThousands(room_), bytesInWords(bytes)));
  }
  begin(from_);
}

void Decoder::begin(ModelTracePtr from) {
  from_ = std::move(from);
  fed_.clear();
  cache_.clear();
  layers_.clear();
  memoryWeights_.clear();
  const ModelConfig& c = from_->config();
  tokens_ = from_->tokens();
  for (Index layer = 0; layer < c.layers; ++layer) {
    const TracePtr attention = from_->layer(layer);
    const Index keys = c.readsMemory(layer) ? attention->config().keys() : room_;
    const Shape shape{1, c.kvHeads, keys, c.headDim};
    KeysAndValues kept{Tensor::uninitialised(shape), Tensor::uninitialised(shape)};
    keep(attention->tensor(scoredKeys(attention->config())), kept.keys, 0);
    keep(attention->tensor(TensorId::v), kept.values, 0);
    cache_.push_back(std::move(kept));
    layers_.push_back(attention->documentPtr());
    if (!c.readsMemory(layer)) continue;
    Tensor row = Tensor::uninitialised({c.heads, keys});
    for (Index head = 0; head < c.heads; ++head) {
      attention->tile(TensorId::weights, 0, head, tokens_ - 1, 1, 0, keys,
                      row.mutableData() + head * keys);
    }
    memoryWeights_.push_back(std::move(row));
  }
  logits_ = from_->logits(tokens_ - 1, 1).values();
}

Decoder Decoder::forked() const {
  Decoder other = *this;
  for (Index layer = 0; layer < config().layers; ++layer) {
    if (config().readsMemory(layer)) continue;  // nothing is appended to these
    KeysAndValues& kept = other.cache_[static_cast<std::size_t>(layer)];
    kept = {kept.keys.clone(), kept.values.clone()};
  }
  return other;
}

bool Decoder::rotationChanges() const {
  const ModelConfig& c = from_->config();
  return c.longTexts.positions > 0 && c.rotaryAt(0, tokens_) != c.rotaryAt(0, tokens_ + 1);
}

const ModelDocument& Decoder::document() const {
  return pinned_ != nullptr ? *pinned_ : from_->document();
}

bool Decoder::runAgain(Index id, const ExecutionContext& execution) {
  ModelInput input{from_->document().input.ids, from_->document().input.types, {}};
  input.ids.insert(input.ids.end(), fed_.begin(), fed_.end());
  input.ids.push_back(id);
  if (!input.types.empty()) input.types.resize(input.ids.size(), input.types.back());
  ModelTracePtr whole = runModel(withInput(document(), std::move(input)), nullptr, execution,
                                 defaultMemoryBudget() / 4);
  if (whole == nullptr) return false;
  begin(std::move(whole));
  return true;
}

bool Decoder::feed(Index id, const ExecutionContext& execution) {
  const Model& model = *from_->document().model;
  const ModelConfig& c = model.config();
  if (tokens_ >= room_) {
    throw UserError(trFormat("there is room for {} tokens", withThousands(room_)));
  }
  if (id < 0 || id >= c.vocabulary) {
    throw UserError(trFormat("id {} is not a token of {}", id, model.name()));
  }
  if (pinned_ != nullptr || rotationChanges()) return runAgain(id, execution);
  // one row is too little work for several threads; the readout's product is the largest by far
  const ScopedThreadLimit threads(threadsFor(2 * c.dModel * (c.vocabulary + c.layers * c.ffWidth),
                                             execution.threads, execution.flopsPerThread));
  const std::vector<Index> one{id};
  ModelConfig placed = c;
  placed.firstPosition += tokens_;  // its row of learned positions
  Tensor h = embed(*model.embedding(), placed, one, {}, execution);
  requireInRange(h, tr("the embedding"));
  for (Index layer = 0; layer < c.layers; ++layer) {
    const LayerWeightsPtr weights = model.layer(layer);
    h = steered(from_->document(), layer, h, tokens_, 1);
    const Tensor output = attend(layer, attentionInput(h, *weights, c, execution), execution);
    const Tensor half = afterAttention(h, output, *weights, c, execution);
    if (execution.stop()) return false;
    requireInRange(half, c.attentionInWords(layer));
    h = afterNetwork(h, half, *weights, c, execution);
    if (execution.stop()) return false;
    requireInRange(h, trFormat("layer {}'s feed-forward network", c.depthOf(layer) + 1));
  }
  logits_ = logitsOf(normalized(h, model.readout()->norm, c, execution), *model.readout(), c,
                     execution, [&](Index) { return atNewToken(tr("the logits")); })
                .values();
  ++tokens_;
  fed_.push_back(id);
  return !execution.stop();
}

std::string Decoder::atNewToken(const std::string& part) const {
  return trFormat("{} at token {} of {}", part, tokens_, from_->document().model->name());
}

void Decoder::requireInRange(const Tensor& row, const std::string& part) const {
  model::requireInRange(row, [&](Index) { return atNewToken(part); });
}

Tensor Decoder::attend(Index layer, const Tensor& x, const ExecutionContext& execution) {
  const auto at = static_cast<std::size_t>(layer);
  const ModelConfig& c = from_->config();
  const AttentionConfig& own = layers_[at]->config;
  const Weights& w = layers_[at]->weights;
  const auto project = [&](const Tensor& in, const Tensor& weight, const Tensor& bias) {
    return linear(in, weight, own.switches->bias ? bias : Tensor(), execution);
  };
  if (execution.stop()) return x;
  requireInRange(x, tr("the norm before ") + c.attentionInWords(layer));
  const Tensor q =
      madeReady(rowInHeads(project(x, w.wQ, w.bQ), own.numHeads), TensorId::q, own, tokens_);
  KeysAndValues& kept = cache_[at];
  const bool ofMemory = c.readsMemory(layer);  // whose keys and values stay
  if (!ofMemory) {
    const Tensor k =
        madeReady(rowInHeads(project(x, w.wK, w.bK), own.numKvHeads), TensorId::k, own, tokens_);
    keep(k, kept.keys, tokens_);
    keep(rowInHeads(project(x, w.wV, w.bV), own.numKvHeads), kept.values, tokens_);
  }
  const Index end = ofMemory ? own.keys() : tokens_ + 1;
  const Index first = own.mask.window > 0 ? std::max<Index>(0, end - own.mask.window) : 0;
  const AttentionConfig over = overKeys(own, end - first);
  const Pins none;
  AttentionTensors tensors(over, none);
  tensors.put(TensorId::q, q);
  tensors.put(TensorId::k, kept.keys.slice(2, first, end));
  tensors.put(TensorId::v, kept.values.slice(2, first, end));
  for (const Step* each : {&scoreStep(), &softmaxStep(), &weighStep()}) {
    const TensorId result = each->outputs().front();
    tensors.put(result, each->memory(result, over, nullptr));
    const Index width = tensors.tensor(result).dim(3);
    for (Index head = 0; head < over.numHeads; ++head) {
      // a score of −∞ would be a weight of 0, and leave no trace in what follows
      if (!each->compute(tensors, result, Box{0, head, 0, 1, 0, width}) && !execution.stop()) {
        refuseOverflow(atNewToken(c.attentionInWords(layer)));
      }
    }
  }
  if (ofMemory) {
    const Tensor& weights = tensors.tensor(TensorId::weights);
    memoryWeights_[static_cast<std::size_t>(c.depthOf(layer))] =
        weights.reshaped({over.numHeads, weights.dim(3)}).clone();
  }
  return project(concatStep().view(TensorId::concat, tensors), w.wO, w.bO);
}

std::optional<ChosenToken> Continuation::next(const ExecutionContext& execution) {
  if (ended_ || made_ >= most_ || decoder_.tokens() >= decoder_.room()) return std::nullopt;
  const ChosenToken found =
      nextToken(decoder_.logits(), decoder_.config(), sampling_, {made_, most_, decoder_.tokens()});
  if (!decoder_.feed(found.id, execution)) return std::nullopt;
  ++made_;
  ended_ = decoder_.config().ends(found.id);
  return found;
}

Index Decoder::cacheBytes() const { return cacheBytesOf(*from_, tokens_); }
Index Decoder::memoryBytes() const { return memoryBytesOf(*from_); }

}  // namespace headscope::model
