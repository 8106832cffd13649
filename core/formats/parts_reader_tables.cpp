// The parts of an attention that are computed from a file's tensors: the tables of relative
// positions (DeBERTa), and the projections of latent attention (DeepSeek).
#include <algorithm>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/formats/parts_reader.h"
#include "core/model/norms.h"

namespace headscope::formats {

using model::LayerWeights;
using model::NormWeights;

RelativeScores PartsReader::relativeScores(const std::string& at, const Weights& own) const {
  const Index d = c_.dModel, count = 2 * c_.relative.span;
  const Tensor embedded = base(weightName(n_.relativePositions), {count, d});
  const NormWeights norm = this->norm("", n_.relativeNorm, d);
  const auto projection = [&](const char* name) {
    return name == nullptr ? Dense() : dense(at + name, d, d, true);
  };
  Dense keys = projection(n_.positionKey), queries = projection(n_.positionQuery);
  if (!reads()) return {};
  if (n_.positionKey == nullptr) keys = {own.wK, own.bK};
  if (n_.positionQuery == nullptr) queries = {own.wQ, own.bQ};
  const Tensor x = model::normalized(embedded.reshaped({1, count, d}), norm, c_, {});
  // (positions, heads · d_k) as (heads, positions, d_k)
  const auto table = [&](const Dense& by) {
    const Tensor projected = linear(x, by.weight, by.bias, {});
    std::vector<float> values;
    for (Index head = 0; head < c_.heads; ++head) {
      for (Index row = 0; row < count; ++row) {
        const float* from = projected.data() + row * d + head * c_.headDim;
        values.insert(values.end(), from, from + c_.headDim);
      }
    }
    return values;
  };
  RelativeScores::Settings settings;
  if (c_.relative.contentToPosition) settings.positionKeys = table(keys);
  if (c_.relative.positionToContent) settings.positionQueries = table(queries);
  settings.span = c_.relative.span;
  settings.buckets = c_.relative.buckets;
  settings.maxDistance = c_.relative.maxDistance;
  return RelativeScores(std::move(settings));
}

/// Writes the projections of latent attention as ones of X, in which the narrow vectors stand one
/// after the other (model::attentionInput). A head's coordinates are those that turn, the others,
/// and zeros where values are wider.
void PartsReader::latentAttention(const std::string& at, LayerWeights& w) const {
  const model::Latent& l = c_.latent;
  const Index d = c_.dModel, heads = c_.heads, each = c_.headDim, width = c_.attentionWidth();
  const Index scored = l.rotated + l.plain, ofQueries = l.queries > 0 ? l.queries : d;
  const bool bias = c_.queryKeyValueBias;
  if (l.queries > 0) {
    Dense down = dense(at + n_.queryDown, l.queries, d, bias);
    w.latent.queries = std::move(down.weight);
    w.latent.queriesBias = std::move(down.bias);
    w.latent.queriesNorm = norm(at, n_.queryDownNorm, l.queries);
  }
  const Dense q =
      dense(at + (l.queries > 0 ? n_.queryUp : n_.query), heads * scored, ofQueries, false);
  Dense down = dense(at + n_.keyValueDown, l.keys + l.rotated, d, bias);
  w.latent.keys = std::move(down.weight);
  w.latent.keysBias = std::move(down.bias);
  w.latent.keysNorm = norm(at, n_.keyValueDownNorm, l.keys);
  const Dense kv = dense(at + n_.keyValueUp, heads * (l.plain + l.values), l.keys, false);
  const Dense o = dense(at + n_.output, d, heads * l.values, c_.outputBias);
  if (!reads()) return;
  Tensor wQ = Tensor::zeros({heads * each, width}), wK = Tensor::zeros({heads * each, width});
  Tensor wV = Tensor::zeros({heads * each, width}), wO = Tensor::zeros({width, heads * each});
  Tensor bO = Tensor::zeros({width});
  const auto copyRows = [&](const Tensor& from, Index first, Index count, Tensor& to, Index row,
                            Index column) {
    const Index columns = from.dim(1);
    for (Index i = 0; i < count; ++i) {
      std::copy_n(from.data() + (first + i) * columns, columns,
                  to.mutableData() + (row + i) * width + column);
    }
  };
  for (Index head = 0; head < heads; ++head) {
    const Index row = head * each;
    copyRows(q.weight, head * scored + l.plain, l.rotated, wQ, row, 0);
    copyRows(q.weight, head * scored, l.plain, wQ, row + l.rotated, 0);
    for (Index j = 0; j < l.rotated; ++j) {
      wK.mutableData()[(row + j) * width + ofQueries + l.keys + j] = 1.0F;
    }
    const Index first = head * (l.plain + l.values);
    copyRows(kv.weight, first, l.plain, wK, row + l.rotated, ofQueries);
    copyRows(kv.weight, first + l.plain, l.values, wV, row, ofQueries);
    for (Index i = 0; i < d; ++i) {
      std::copy_n(o.weight.data() + i * heads * l.values + head * l.values, l.values,
                  wO.mutableData() + i * heads * each + row);
    }
  }
  if (!o.bias.empty()) std::copy_n(o.bias.data(), d, bO.mutableData());
  const Tensor zeros = Tensor::zeros({heads * each});
  w.attention = {std::move(wQ), std::move(wK), std::move(wV), std::move(wO),
                 zeros,         zeros,         zeros,         std::move(bO)};
}

}  // namespace headscope::formats
