// Reference: multi-head attention written down once more, in double and with plain loops, to hold
// the engine against.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/document.h"
#include "core/tensor_id.h"

namespace headscope::test {

/// Each rule as it is defined; the engine works with ranges of keys instead.
inline bool mayAttend(const AttentionConfig& c, Index item, Index query, Index key) {
  const Mask& mask = c.mask;
  if (mask.causal && !(key <= query)) return false;
  if (mask.window > 0 && !(std::abs(query - key) < mask.window)) return false;
  if (!mask.lengths.empty() && !(key < mask.lengths[static_cast<std::size_t>(item)])) return false;
  return mask.painted == nullptr || (*mask.painted)(query, key);
}

inline bool fullyMasked(const AttentionConfig& c, Index item, Index query) {
  for (Index key = 0; key < c.keys(); ++key) {
    if (mayAttend(c, item, query, key)) return false;
  }
  return true;
}

/// Every result of a pass, row-major in the shape of shapeOf.
using Reference = std::map<TensorId, std::vector<double>>;

/// softmax over the finite scores; zeros where there are none.
inline std::vector<double> softmax(const std::vector<double>& scores) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (const double s : scores) maximum = std::max(maximum, s);
  std::vector<double> weights(scores.size(), 0.0);
  if (std::isinf(maximum)) return weights;
  double sum = 0.0;
  for (const double s : scores) sum += std::exp(s - maximum);
  for (std::size_t j = 0; j < scores.size(); ++j) weights[j] = std::exp(scores[j] - maximum) / sum;
  return weights;
}

inline Reference referencePass(const Document& d) {
  const AttentionConfig& c = d.config;
  const Weights& w = d.weights;
  const Tensor& memory = c.crossAttention() ? d.input->memory : d.input->x;
  const Index heads = c.numHeads, dK = c.dK(), keys = c.keys();
  const double factor = (c.scale ? 1.0 / std::sqrt(static_cast<double>(dK)) : 1.0) / c.temperature;
  Reference r;

  // y[t][o] of one item
  using Matrix = std::vector<std::vector<double>>;
  const auto linear = [&](const auto& at, Index rows, const Tensor& weight, const Tensor& bias) {
    Matrix y(static_cast<std::size_t>(rows));
    for (Index t = 0; t < rows; ++t) {
      for (Index o = 0; o < weight.dim(0); ++o) {
        double sum = c.bias ? static_cast<double>(bias.at({o})) : 0.0;
        for (Index j = 0; j < weight.dim(1); ++j) {
          sum += at(t, j) * static_cast<double>(weight.at({o, j}));
        }
        y[static_cast<std::size_t>(t)].push_back(sum);
      }
    }
    return y;
  };
  const auto append = [&](TensorId id, double value) { r[id].push_back(value); };
  const auto appendAll = [&](TensorId id, const Matrix& m) {
    for (const auto& row : m) r[id].insert(r[id].end(), row.begin(), row.end());
  };
  const auto cell = [](const Matrix& m, Index row, Index col) {
    return m[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)];
  };

  for (Index b = 0; b < c.batch; ++b) {
    const auto x = [&](Index t, Index j) { return static_cast<double>(d.input->x.at({b, t, j})); };
    const auto m = [&](Index t, Index j) { return static_cast<double>(memory.at({b, t, j})); };
    const Matrix q = linear(x, c.seqLen, w.wQ, w.bQ);
    const Matrix k = linear(m, keys, w.wK, w.bK);
    const Matrix v = linear(m, keys, w.wV, w.bV);
    appendAll(TensorId::qProj, q);
    appendAll(TensorId::kProj, k);
    appendAll(TensorId::vProj, v);
    for (Index h = 0; h < c.numKvHeads; ++h) {
      for (Index t = 0; t < keys; ++t) {
        for (Index i = 0; i < dK; ++i) {
          append(TensorId::k, cell(k, t, h * dK + i));
          append(TensorId::v, cell(v, t, h * dK + i));
        }
      }
    }
    Matrix concat(static_cast<std::size_t>(c.seqLen));
    for (Index h = 0; h < heads; ++h) {
      const Index group = h / (heads / c.numKvHeads);
      for (Index t = 0; t < c.seqLen; ++t) {
        std::vector<double> masked;
        for (Index i = 0; i < dK; ++i) append(TensorId::q, cell(q, t, h * dK + i));
        for (Index j = 0; j < keys; ++j) {
          double score = 0.0;
          for (Index i = 0; i < dK; ++i)
            score += cell(q, t, h * dK + i) * cell(k, j, group * dK + i);
          append(TensorId::rawScores, score);
          append(TensorId::scores, score * factor);
          masked.push_back(mayAttend(c, b, t, j) ? score * factor
                                                 : -std::numeric_limits<double>::infinity());
          append(TensorId::maskedScores, masked.back());
        }
        const auto weights = softmax(masked);
        for (const double a : weights) append(TensorId::weights, a);
        for (Index i = 0; i < dK; ++i) {
          double sum = 0.0;
          for (Index j = 0; j < keys; ++j) {
            sum += weights[static_cast<std::size_t>(j)] * cell(v, j, group * dK + i);
          }
          sum *= static_cast<double>(c.gain(h));
          append(TensorId::heads, sum);
          concat[static_cast<std::size_t>(t)].push_back(sum);
        }
      }
    }
    appendAll(TensorId::concat, concat);
    const auto mixed = [&](Index t, Index j) { return cell(concat, t, j); };
    appendAll(TensorId::output, linear(mixed, c.seqLen, w.wO, w.bO));
  }
  return r;
}

}  // namespace headscope::test
