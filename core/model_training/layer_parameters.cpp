#include "core/model_training/layer_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/tensor_id.h"
#include "core/base/error.h"
#include "core/tensor/random_tensors.h"

namespace headscope::model_training {
namespace {
using training::Parameter;

constexpr float kDeviation = 0.02F;  // of matrices at the start, GPT-2's
constexpr Index kMostLayers = 24;

void addNorm(std::vector<ParameterEntry>& entries, const std::string& name, Index width) {
  entries.push_back({name + ".gain", {width}, false, 1.0F});
  entries.push_back({name + ".bias", {width}});
}

}  // namespace

void requireCount(const char* name, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw UserError(fmt::format("{} is {}: give {} to {}", name, value, least, most));
}

void checkLayers(const LayerSettings& s, Index tokens) {
  requireCount("layers", s.layers, 1, kMostLayers);
  AttentionConfig attention;
  attention.dModel = s.dModel;
  attention.numHeads = s.heads;
  attention.numKvHeads = s.keyHeads();
  attention.seqLen = tokens;
  auto problems = validate(attention, HeadWidth::divided);
  if (!problems.empty()) throw UserError(std::move(problems));
}

void describeLayers(const LayerSettings& s, model::ModelConfig& c) {
  c.layers = s.layers;
  c.dModel = s.dModel;
  c.heads = s.heads;
  c.kvHeads = s.keyHeads();
  c.headDim = s.dModel / s.heads;
  c.ffWidth = s.networkWidth();
  c.attentionOnly = !s.networks;
  c.norms = s.norms;
}

void addLinear(std::vector<ParameterEntry>& entries, const std::string& name, Index out, Index in) {
  entries.push_back({name + ".weight", {out, in}, true});
  entries.push_back({name + ".bias", {out}});
}

void addLayers(std::vector<ParameterEntry>& entries, const LayerSettings& s) {
  const Index d = s.dModel, keys = d / s.heads * s.keyHeads();
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
    addLinear(entries, at + "up", s.networkWidth(), d);
    addLinear(entries, at + "down", d, s.networkWidth());
  }
  if (s.norms) addNorm(entries, "final_norm", d);
}

Index parameterCount(const std::vector<ParameterEntry>& entries) {
  Index count = 0;
  for (const ParameterEntry& entry : entries) count += elementCount(entry.shape);
  return count;
}

std::vector<Parameter> firstParameters(const std::vector<ParameterEntry>& entries,
                                       std::uint64_t seed) {
  std::vector<Parameter> parameters;
  parameters.reserve(entries.size());
  std::vector<Draw> draws;
  for (const ParameterEntry& entry : entries) {
    Tensor value = Tensor::zeros(entry.shape);
    if (!entry.drawn) std::fill_n(value.mutableData(), value.size(), entry.value);
    parameters.push_back({entry.name, std::move(value), Tensor::zeros(entry.shape), {}, {}});
    if (!entry.drawn) continue;
    draws.push_back({&parameters.back().value, RandomStream(seed, entry.name), Distribution::normal,
                     kDeviation});
  }
  draw(draws);
  return parameters;
}

LayerPlaces::LayerPlaces(const LayerSettings& s, std::size_t first)
    : layers_(s.layers),
      norm_(s.norms ? 2 : 0),
      first_(first),
      ofLayer_(norm_ + kAttention + (s.networks ? norm_ + kNetwork : 0)) {}

CopiedWeights::CopiedWeights(std::span<const Parameter> parameters, const LayerSettings& settings,
                             const LayerPlaces& places)
    : settings_(settings), places_(places) {
  for (const Parameter& parameter : parameters) values_.push_back(parameter.value.clone());
}

model::LayerWeights CopiedWeights::layer(Index layer) const {
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

Index CopiedWeights::parameters() const {
  Index count = 0;
  for (const Tensor& value : values_) count += value.size();
  return count;
}

model::NormWeights CopiedWeights::normAt(std::size_t place) const {
  if (!settings_.norms) return {};
  return {values_[place], values_[place + 1]};
}

}  // namespace headscope::model_training
