#include "core/formats/parts_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/base/error.h"

namespace headscope::formats {

using model::Embedding;
using model::FeedForward;
using model::LayerWeights;
using model::ModelConfig;
using model::NormWeights;
using model::Readout;

namespace {

/// Transposes a matrix in square blocks that fit in cache.
Tensor turnedOver(const Tensor& from) {
  if (from.empty()) return {};
  constexpr Index kSquare = 32;
  const Index rows = from.dim(0), cols = from.dim(1);
  Tensor to = Tensor::uninitialised({cols, rows});
  const float* source = from.data();
  float* target = to.mutableData();
  for (Index row = 0; row < rows; row += kSquare) {
    for (Index col = 0; col < cols; col += kSquare) {
      for (Index j = col; j < std::min(cols, col + kSquare); ++j) {
        for (Index i = row; i < std::min(rows, row + kSquare); ++i) {
          target[j * rows + i] = source[i * cols + j];
        }
      }
    }
  }
  return to;
}

Tensor onesFor(Index count) {
  Tensor ones = Tensor::uninitialised({count});
  std::fill_n(ones.mutableData(), count, 1.0F);
  return ones;
}

/// Fixed positions (Vaswani et al. 2017), as Marian has them: all sines, then all cosines.
Tensor sinusoids(Index rows, Index width) {
  Tensor table = Tensor::uninitialised({rows, width});
  const Index sines = (width + 1) / 2;
  for (Index row = 0; row < rows; ++row) {
    float* to = table.mutableData() + row * width;
    for (Index j = 0; j < width; ++j) {
      const Index pair = j < sines ? j : j - sines;
      const double angle =
          static_cast<double>(row) /
          std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
      to[j] = static_cast<float>(j < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

std::string numbered(const char* pattern, Index number) {
  return fmt::format(fmt::runtime(pattern), number);
}

/// Rows [first, first + count) of a matrix or vector; empty of an empty one.
Tensor rows(const Tensor& whole, Index first, Index count) {
  return whole.empty() ? Tensor() : whole.slice(0, first, first + count);
}

}  // namespace

std::string PartsReader::weightName(const std::string& stem) const {
  return n_.bareNames ? stem : stem + ".weight";
}

void PartsReader::refuseMissing(const std::string& name) const {
  const bool head = n_.decoder != nullptr && name == prefix_.wrapper + decoderName() &&
                    c_.tied == ModelConfig::Tied::no;
  throw UserError(fmt::format(
      "{} has no tensor \"{}\", which a {} model of this config.json has: {}",
      files_.directory().string(), name, c_.typeName(),
      head ? "download the whole model, or set tie_word_embeddings to true in config.json if its "
             "head is the embedding"
           : "check that the download is complete and config.json belongs to it"));
}

std::string PartsReader::checked(const std::string& inModel, const Shape& shape) const {
  std::string name = prefix_.wrapper + inModel;
  if (!files_.has(name)) refuseMissing(name);
  if (!isReadableFloat(files_.dtype(name))) {
    throw UserError(
        fmt::format("\"{}\" in {} is of type {}, as in quantized models: open the original model "
                    "in F32, F16, BF16 or F64",
                    name, files_.path(name).string(), files_.dtype(name)));
  }
  if (files_.shape(name) != shape) {
    throw UserError(fmt::format(
        "\"{}\" in {} is {}, and config.json requires {}: the two files belong to different "
        "models",
        name, files_.path(name).string(), toString(files_.shape(name)), toString(shape)));
  }
  if (reads()) return name;
  noted_->insert(name);
  return {};
}

Tensor PartsReader::take(const std::string& inModel, const Shape& shape) const {
  const std::string name = checked(inModel, shape);
  return name.empty() ? Tensor() : files_.read(name);
}

StoredMatrix PartsReader::takeStored(const std::string& inModel, const Shape& shape) const {
  const std::string name = checked(inModel, shape);
  return name.empty() ? StoredMatrix() : files_.readStored(name);
}

Tensor PartsReader::firstOf(const char* name, const char* other, const Shape& shape) const {
  return take(other != nullptr && !has(name) && has(other) ? other : name, shape);
}

PartsReader::Dense PartsReader::dense(const std::string& stem, Index out, Index in,
                                      bool biased) const {
  Dense layer{n_.inByOut ? turnedOver(base(weightName(stem), {in, out}))
                         : base(weightName(stem), {out, in}),
              {}};
  if (biased) layer.bias = base(stem + ".bias", {out});
  return layer;
}

NormWeights PartsReader::normCalled(const std::string& stem, Index width) const {
  NormWeights n;
  if (n_.gainless) {
    if (reads()) n.gain = onesFor(width);
    return n;
  }
  const Shape shape{width};
  const bool older = !has(stem + ".weight") && has(stem + ".gamma");
  n.gain = take(stem + (older ? ".gamma" : ".weight"), shape);
  if (!c_.rmsNorm && c_.normBias) n.bias = take(stem + (older ? ".beta" : ".bias"), shape);
  if (n_.onePlusGain && reads()) {
    n.gain = n.gain.clone();
    for (Index j = 0; j < width; ++j) n.gain.mutableData()[j] += 1.0F;
  }
  return n;
}

NormWeights PartsReader::norm(const std::string& at, const char* stem, Index width) const {
  return stem == nullptr ? NormWeights() : normCalled(prefix_.base + at + stem, width);
}

Embedding PartsReader::embedding() const {
  if (c_.image.on()) return imageEmbedding();
  const Index d = c_.dModel, e = c_.embeddingRows();
  Embedding embedding;
  embedding.tokens = takeStored(prefix_.base + weightName(n_.tokens), {c_.vocabulary, e});
  if (n_.positions != nullptr) {
    // where the projection comes first, positions are as wide as the stream
    const Index width = n_.baseTransform ? d : e;
    const std::string name = weightName(n_.positions);
    if (!c_.sinusoids || has(prefix_.base + name)) {
      embedding.positions = base(name, {c_.positionRows, width});
    } else if (reads()) {
      embedding.positions = sinusoids(c_.positionRows, width);
    }
  }
  if (n_.types != nullptr && c_.tokenTypes > 0) {
    embedding.types = base(weightName(n_.types), {c_.tokenTypes, e});
  }
  embedding.norm = norm("", n_.embeddingNorm, e);
  if (c_.embeddingWidth > 0) {
    Dense projection = dense(n_.projection, d, e, n_.projectionBias);
    embedding.projection = std::move(projection.weight);
    embedding.projectionBias = std::move(projection.bias);
  }
  return embedding;
}

LayerWeights PartsReader::layer(Index number) const {
  const Index d = c_.dModel;
  const Index tensors = n_.groups > 0 ? number * n_.groups / c_.layers : c_.depthOf(number);
  const bool cross = c_.readsMemory(number), network = c_.hasNetwork(number);
  const std::string at = numbered(n_.layer, tensors);
  LayerWeights w;
  if (number > 0 || n_.firstAttentionNorm) {
    w.attentionNorm = norm(at, cross ? n_.crossNorm : n_.attentionNorm, d);
  }
  w.attentionOutputNorm = norm(at, n_.attentionOutputNorm, d);
  if (network) {
    w.feedForwardNorm = norm(at, n_.feedForwardNorm, d);
    w.feedForwardOutputNorm = norm(at, n_.feedForwardOutputNorm, d);
  }
  if (c_.latent.on()) {
    latentAttention(at, w);
  } else {
    w.attention =
        attention(at, cross ? Projections{n_.crossQuery, n_.crossKey, n_.crossValue, n_.crossOutput}
                            : Projections{n_.query, n_.key, n_.value, n_.output});
  }
  if (c_.headNorm.on) {
    std::vector<float> q = gains(at + n_.queryNorm, c_.heads),
                       k = gains(at + n_.keyNorm, c_.kvHeads);
    if (reads()) {
      w.headNorm =
          HeadNorm(std::move(q), std::move(k), c_.normEpsilon, c_.headNorm.over, c_.headNorm.kind);
    }
  }
  if (c_.sinks) {
    const Tensor sinks = base(at + n_.sinks, {c_.heads});
    if (reads()) w.sinks = sinks.values();
  }
  if (c_.relative.on()) w.relative = relativeScores(at, w.attention);
  if (c_.distanceBias.on() && !cross) {
    w.pairBias = distanceBias(c_.distanceBias.ofEachLayer ? at : numbered(n_.layer, 0));
  }
  if (c_.experts.at(number)) {
    w.experts = experts(at);
  } else if (network) {
    w.feedForward = this->network(at, n_.up, n_.gate, n_.down, c_.ffWidth);
  }
  if (n_.attentionScale != nullptr) scaleLayer(at, w);
  return w;
}

Readout PartsReader::readout() const {
  Readout r;
  r.norm = norm("", n_.finalNorm, c_.dModel);
  if (!hasReadout()) return r;
  if (c_.image.on()) return classifier(std::move(r));
  const Index e = c_.embeddingRows();
  if (n_.transform != nullptr) {
    const std::string stem = (n_.baseTransform ? prefix_.base : "") + n_.transform;
    r.transform = take(stem + ".weight", {e, c_.dModel});
    if (n_.transformBias) r.transformBias = take(stem + ".bias", {e});
  }
  if (n_.transformNorm != nullptr) r.transformNorm = normCalled(n_.transformNorm, e);
  if (n_.decoderBias != nullptr) {
    r.bias = firstOf(n_.decoderBias, n_.otherDecoderBias, {c_.vocabulary});
  }
  if (n_.logitsBias != nullptr && has(n_.logitsBias)) {
    r.bias = take(n_.logitsBias, {1, c_.vocabulary});
    if (reads()) r.bias = r.bias.reshaped({c_.vocabulary});
  }
  if (ownDecoder()) r.decoder = takeStored(decoderName(), {c_.vocabulary, e});
  return r;
}

bool PartsReader::hasReadout() const {
  if (n_.decoder == nullptr) return false;
  if (n_.bareNames) return true;
  if (n_.transform != nullptr && !n_.baseTransform) {
    return has(std::string(n_.transform) + ".weight");
  }
  return c_.tied != ModelConfig::Tied::no || has(decoderName()) || lacksHead();
}

bool PartsReader::ownDecoder() const {
  if (!hasReadout() || c_.tied == ModelConfig::Tied::yes) return false;
  return c_.tied == ModelConfig::Tied::no || has(decoderName());
}

std::string PartsReader::repeatedBy(std::string_view name) const {
  if (name.starts_with(prefix_.base)) {
    for (const char* repeat : n_.repeatsOfTokens) {
      if (repeat != nullptr && name.substr(prefix_.base.size()) == weightName(repeat)) {
        return prefix_.base + weightName(n_.tokens);
      }
    }
  }
  if (!hasReadout()) return {};
  if (name == decoderName() && !ownDecoder()) return prefix_.base + weightName(n_.tokens);
  if (n_.otherDecoderBias != nullptr && name == n_.otherDecoderBias) return n_.decoderBias;
  return {};
}

/// The gains of queries or keys.
std::vector<float> PartsReader::gains(const std::string& name, Index heads) const {
  const Index each = c_.headDim;
  if (name.find("{}") != std::string::npos) {  // a tensor for each head
    std::vector<float> all;
    for (Index head = 0; head < heads; ++head) {
      const Tensor own = base(numbered(name.c_str(), head) + ".weight", {each});
      if (reads()) all.insert(all.end(), own.data(), own.data() + each);
    }
    return all;
  }
  const bool all = c_.headNorm.over == HeadNorm::Over::allHeads;
  const Shape shape = all                        ? Shape{heads * each}
                      : c_.headNorm.gainsPerHead ? Shape{heads, each}
                                                 : Shape{each};
  const Tensor given = base(name + ".weight", shape);
  if (given.empty()) return {};
  std::vector<float> values = given.values();
  if (n_.onePlusGain) {
    for (float& gain : values) gain += 1.0F;
  }
  return values;
}

/// Combines the projections; missing biases become 0.
Weights PartsReader::combined(Dense q, Dense k, Dense v, Dense o) const {
  const Index queries = c_.heads * c_.headDim;
  const Index keys = c_.kvHeads * c_.headDim;
  const auto orZeros = [](Tensor bias, Index count) {
    return bias.empty() ? Tensor::zeros({count}) : std::move(bias);
  };
  return {std::move(q.weight),
          std::move(k.weight),
          std::move(v.weight),
          std::move(o.weight),
          orZeros(std::move(q.bias), queries),
          orZeros(std::move(k.bias), keys),
          orZeros(std::move(v.bias), keys),
          orZeros(std::move(o.bias), c_.dModel)};
}

Weights PartsReader::attention(const std::string& at, const Projections& names) const {
  const Index d = c_.dModel;
  const Index queries = c_.heads * c_.headDim, keys = c_.kvHeads * c_.headDim;
  const bool bias = c_.queryKeyValueBias;
  Dense q, k, v;
  if (n_.queryKeyValue != nullptr) {
    splitFused(dense(at + n_.queryKeyValue, queries + 2 * keys, d, bias), q, k, v);
  } else {
    q = dense(at + names.query, queries, d, bias);
    k = dense(at + names.key, keys, d, bias);
    v = dense(at + names.value, keys, d, bias);
  }
  return combined(std::move(q), std::move(k), std::move(v),
                  dense(at + names.output, d, queries, c_.outputBias));
}

void PartsReader::splitFused(const Dense& all, Dense& q, Dense& k, Dense& v) const {
  if (all.weight.empty()) return;
  const Index each = c_.headDim, queries = c_.heads * each, keys = c_.kvHeads * each;
  if (n_.fused == TensorNames::Fused::stacked) {
    q = {rows(all.weight, 0, queries), rows(all.bias, 0, queries)};
    k = {rows(all.weight, queries, keys), rows(all.bias, queries, keys)};
    v = {rows(all.weight, queries + keys, keys), rows(all.bias, queries + keys, keys)};
    return;
  }
  const Index perKey = c_.heads / c_.kvHeads, group = (perKey + 2) * each;
  const auto gathered = [&](const Tensor& from, Index first, Index count) {
    if (from.empty()) return Tensor();
    const Index width = from.rank() == 2 ? from.dim(1) : 1;
    Shape shape = from.shape();
    shape[0] = c_.kvHeads * count;
    Tensor to = Tensor::uninitialised(shape);
    for (Index head = 0; head < c_.kvHeads; ++head) {
      std::copy_n(from.data() + (head * group + first) * width, count * width,
                  to.mutableData() + head * count * width);
    }
    return to;
  };
  const auto part = [&](Index first, Index count) {
    return Dense{gathered(all.weight, first, count), gathered(all.bias, first, count)};
  };
  q = part(0, perKey * each);
  k = part(perKey * each, each);
  v = part((perKey + 1) * each, each);
}

FeedForward PartsReader::network(const std::string& at, const char* up, const char* gate,
                                 const char* down, Index width) const {
  const Index d = c_.dModel;
  const auto biasOf = [&](const std::string& stem, Index count) {
    return c_.feedForwardBias ? base(stem + ".bias", {count}) : Tensor();
  };
  FeedForward f;
  if (n_.gateUp != nullptr) {
    const std::string stem = at + n_.gateUp;
    const Tensor bias = biasOf(stem, 2 * width);
    f.gateBias = rows(bias, 0, width);
    f.upBias = rows(bias, width, width);
    const StoredMatrix both = stored(stem, 2 * width, d);
    f.gate = packed(both.slice(0, width));
    f.up = packed(both.slice(width, width));
  } else {
    if (gate != nullptr) {
      f.gate = packed(stored(at + gate, width, d));
      f.gateBias = biasOf(at + gate, width);
    }
    f.up = packed(stored(at + up, width, d));
    f.upBias = biasOf(at + up, width);
  }
  f.down = packed(stored(at + down, d, width));
  f.downBias = biasOf(at + down, d);
  return f;
}

StoredMatrix PartsReader::stored(const std::string& stem, Index out, Index in) const {
  // a matrix that is turned over is widened for it
  if (n_.inByOut) return turnedOver(base(weightName(stem), {in, out}));
  return takeStored(prefix_.base + weightName(stem), {out, in});
}

model::ExpertWeights PartsReader::experts(const std::string& at) const {
  model::ExpertWeights e;
  Dense router = dense(at + n_.router, c_.experts.count, c_.dModel, n_.routerBias);
  e.router = std::move(router.weight);
  e.routerBias = std::move(router.bias);
  if (n_.choiceBias != nullptr) e.choiceBias = base(at + n_.choiceBias, {c_.experts.count});
  if (n_.allExperts != nullptr) {
    expertsInOneTensor(at + n_.allExperts, e);
  } else {
    for (Index expert = 0; expert < c_.experts.count; ++expert) {
      e.each.push_back(network(at + numbered(n_.expert, expert), n_.expertUp, n_.expertGate,
                               n_.expertDown, c_.experts.width));
    }
  }
  if (c_.experts.shared > 0) {
    e.shared =
        network(at + n_.sharedExpert, n_.expertUp, n_.expertGate, n_.expertDown, c_.experts.shared);
  }
  return e;
}

/// gpt-oss: matrices of all experts, (experts, in, out), whose columns are gate and up in turn.
void PartsReader::expertsInOneTensor(const std::string& at, model::ExpertWeights& e) const {
  const Index count = c_.experts.count, d = c_.dModel, f = c_.experts.width;
  const Tensor both = base(at + "gate_up_proj", {count, d, 2 * f});
  const Tensor bothBias = base(at + "gate_up_proj_bias", {count, 2 * f});
  const Tensor down = base(at + "down_proj", {count, f, d});
  const Tensor downBias = base(at + "down_proj_bias", {count, d});
  if (!reads()) return;
  for (Index expert = 0; expert < count; ++expert) {
    const Tensor turned = turnedOver(rows(both, expert, 1).reshaped({d, 2 * f}));
    const auto everySecond = [&](Index first) {
      Dense part{Tensor::uninitialised({f, d}), Tensor::uninitialised({f})};
      for (Index j = 0; j < f; ++j) {
        std::copy_n(turned.data() + (2 * j + first) * d, d, part.weight.mutableData() + j * d);
        part.bias.mutableData()[j] = bothBias.data()[expert * 2 * f + 2 * j + first];
      }
      return part;
    };
    const Dense gate = everySecond(0), up = everySecond(1);
    FeedForward network;
    network.gate = packed(gate.weight);
    network.gateBias = gate.bias;
    network.up = packed(up.weight);
    network.upBias = up.bias;
    network.down = packed(turnedOver(rows(down, expert, 1).reshaped({f, d})));
    network.downBias = rows(downBias, expert, 1).reshaped({d});
    e.each.push_back(std::move(network));
  }
}

PairBias PartsReader::distanceBias(const std::string& at) const {
  const model::DistanceBias& b = c_.distanceBias;
  const Tensor table = base(weightName(at + n_.distanceBias), {b.buckets, c_.heads});
  if (!reads()) return {};
  return PairBias({.values = turnedOver(table).values(),
                   .buckets = b.buckets,
                   .maxDistance = b.maxDistance,
                   .bothWays = b.bothWays});
}

}  // namespace headscope::formats
