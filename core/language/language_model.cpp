#include "core/language/language_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/rotary.h"
#include "core/attention/tensor_id.h"
#include "core/base/error.h"
#include "core/tensor/random_tensors.h"

namespace headscope::language {
namespace {
using training::Parameter;

constexpr float kDeviation = 0.02F;  // of matrices at the start, GPT-2's
constexpr Index kMostLayers = 24;
constexpr Index kLeastContext = 8;
constexpr Index kMostContext = 4096;
constexpr Index kNetworkFactor = 4;  // F / D

/// A parameter at the start: drawn, or all cells of one value.
struct Entry {
  std::string name;
  Shape shape;
  bool drawn = false;
  float value = 0.0F;
};

Index kvHeadsOf(const LanguageModelSettings& s) { return s.kvHeads > 0 ? s.kvHeads : s.heads; }

void addNorm(std::vector<Entry>& entries, const std::string& name, Index width) {
  entries.push_back({name + ".gain", {width}, false, 1.0F});
  entries.push_back({name + ".bias", {width}});
}

void addLinear(std::vector<Entry>& entries, const std::string& name, Index out, Index in) {
  entries.push_back({name + ".weight", {out, in}, true});
  entries.push_back({name + ".bias", {out}});
}

/// Names, shapes and first values of all parameters, in order.
std::vector<Entry> entriesOf(const LanguageModelSettings& s, Index vocabulary) {
  const Index d = s.dModel, keys = d / s.heads * kvHeadsOf(s);
  std::vector<Entry> entries{{"embedding", {vocabulary, d}, true}};
  if (!s.rotary) entries.push_back({"positions", {s.context, d}, true});
  for (Index layer = 0; layer < s.layers; ++layer) {
    const std::string at = fmt::format("layers.{}.", layer);
    if (s.norms) addNorm(entries, at + "attention_norm", d);
    const std::pair<TensorId, Shape> weights[]{{TensorId::wQ, {d, d}},
                                               {TensorId::wK, {keys, d}},
                                               {TensorId::wV, {keys, d}},
                                               {TensorId::wO, {d, d}}};
    for (const auto& [id, shape] : weights) {
      entries.push_back({at + std::string(info(id).name), shape, true});
    }
    const std::pair<TensorId, Index> biases[]{
        {TensorId::bQ, d}, {TensorId::bK, keys}, {TensorId::bV, keys}, {TensorId::bO, d}};
    for (const auto& [id, width] : biases) {
      entries.push_back({at + std::string(info(id).name), {width}});
    }
    if (!s.networks) continue;
    if (s.norms) addNorm(entries, at + "network_norm", d);
    addLinear(entries, at + "up", kNetworkFactor * d, d);
    addLinear(entries, at + "down", d, kNetworkFactor * d);
  }
  if (s.norms) addNorm(entries, "final_norm", d);
  return entries;
}

/// Gives the parts of a model from copies of its parameters.
class ParameterReader : public model::WeightReader {
 public:
  explicit ParameterReader(const LanguageModel& model)
      : settings_(model.settings()), places_(model.places()) {
    for (const Parameter& parameter : model.parameters()) {
      values_.push_back(parameter.value.clone());
    }
  }

  model::Embedding embedding() const override {
    model::Embedding embedding;
    embedding.tokens = values_[places_.embedding()];
    if (!settings_.rotary) embedding.positions = values_[places_.positions()];
    return embedding;
  }

  model::LayerWeights layer(Index layer) const override {
    model::LayerWeights weights;
    const Tensor* w = &values_[places_.attention(layer)];
    weights.attention = {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
    weights.attentionNorm = normAt(places_.attentionNorm(layer));
    if (!settings_.networks) return weights;
    weights.feedForwardNorm = normAt(places_.networkNorm(layer));
    const Tensor* n = &values_[places_.network(layer)];
    weights.feedForward.up = packed(n[0]);
    weights.feedForward.upBias = n[1];
    weights.feedForward.down = packed(n[2]);
    weights.feedForward.downBias = n[3];
    return weights;
  }

  model::Readout readout() const override {
    model::Readout readout;
    readout.norm = normAt(places_.finalNorm());
    return readout;
  }

  bool hasReadout() const override { return true; }
  Index parameters() const override {
    Index count = 0;
    for (const Tensor& value : values_) count += value.size();
    return count;
  }
  bool changedOnDisk() const override { return false; }

 private:
  model::NormWeights normAt(std::size_t place) const {
    if (!settings_.norms) return {};
    return {values_[place], values_[place + 1]};
  }

  LanguageModelSettings settings_;
  ParameterPlaces places_;
  std::vector<Tensor> values_;
};

}  // namespace

void requireCount(const char* name, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw UserError(fmt::format("{} is {}: give {} to {}", name, value, least, most));
}

void checkModel(const LanguageModelSettings& s) {
  requireCount("layers", s.layers, 1, kMostLayers);
  requireCount("context", s.context, kLeastContext, kMostContext);
  AttentionConfig attention;
  attention.dModel = s.dModel;
  attention.numHeads = s.heads;
  attention.numKvHeads = kvHeadsOf(s);
  attention.seqLen = s.context;
  auto problems = validate(attention, HeadWidth::divided);
  if (!problems.empty()) throw UserError(std::move(problems));
  if (s.rotary && s.dModel / s.heads % 2 != 0) {
    throw UserError(
        fmt::format("rotary positions turn pairs of coordinates, and d_k is {}: choose "
                    "a d_model and heads that give an even d_k",
                    s.dModel / s.heads));
  }
}

model::ModelConfig configOf(const LanguageModelSettings& s, Index vocabulary) {
  model::ModelConfig c;
  const bool all = s.networks && s.norms;
  c.modelType = !all || (!s.rotary && kvHeadsOf(s) != s.heads) ? "headscope"
                : s.rotary                                     ? "starcoder2"
                                                               : "gpt2";
  c.layers = s.layers;
  c.dModel = s.dModel;
  c.heads = s.heads;
  c.kvHeads = kvHeadsOf(s);
  c.headDim = s.dModel / s.heads;
  c.ffWidth = s.networks ? kNetworkFactor * s.dModel : 0;
  c.attentionOnly = !s.networks;
  c.norms = s.norms;
  c.vocabulary = vocabulary;
  c.positions = s.context;
  c.positionRows = s.rotary ? 0 : s.context;
  if (s.rotary) c.rotary.theta = Rotary::kUsualTheta;
  c.tied = model::ModelConfig::Tied::yes;
  c.endTokens = {0};
  return c;
}

Index parameterCount(const LanguageModelSettings& settings, Index vocabulary) {
  Index count = 0;
  for (const Entry& entry : entriesOf(settings, vocabulary)) count += elementCount(entry.shape);
  return count;
}

ParameterPlaces::ParameterPlaces(const LanguageModelSettings& s)
    : layers_(s.layers),
      norm_(s.norms ? 2 : 0),
      first_(s.rotary ? 1 : 2),
      ofLayer_(norm_ + kAttention + (s.networks ? norm_ + kNetwork : 0)) {}

LanguageModel::LanguageModel(const LanguageModelSettings& settings, Index vocabulary,
                             std::uint64_t seed)
    : settings_(settings), places_(settings), vocabulary_(vocabulary) {
  const std::vector<Entry> entries = entriesOf(settings, vocabulary);
  parameters_.reserve(entries.size());
  std::vector<Draw> draws;
  for (const Entry& entry : entries) {
    Tensor value = Tensor::zeros(entry.shape);
    if (!entry.drawn) std::fill_n(value.mutableData(), value.size(), entry.value);
    parameters_.push_back({entry.name, std::move(value), Tensor::zeros(entry.shape), {}, {}});
    if (!entry.drawn) continue;
    draws.push_back({&parameters_.back().value, RandomStream(seed, entry.name),
                     Distribution::normal, kDeviation});
  }
  draw(draws);
}

model::ModelPtr LanguageModel::model(std::string name) const {
  constexpr Index kUnlimited = std::numeric_limits<Index>::max();
  return std::make_shared<const model::Model>(std::move(name), configOf(settings_, vocabulary_),
                                              std::make_unique<const ParameterReader>(*this),
                                              kUnlimited);
}

}  // namespace headscope::language
