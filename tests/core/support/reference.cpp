#include "tests/core/support/reference.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/attention/dropped_cells.h"
#include "core/attention/switches.h"

namespace headscope::test {

bool mayAttend(const AttentionConfig& c, Index item, Index query, Index key) {
  const Mask& mask = c.mask;
  if (mask.causal && !(key <= query)) return false;
  if (mask.window > 0 && !(std::abs(query - key) < mask.window)) return false;
  if (!mask.lengths.empty() && !(key < mask.lengths[static_cast<std::size_t>(item)])) return false;
  return mask.painted == nullptr || (*mask.painted)(query, key);
}

bool fullyMasked(const AttentionConfig& c, Index item, Index query) {
  for (Index key = 0; key < c.keys(); ++key) {
    if (mayAttend(c, item, query, key)) return false;
  }
  return true;
}

std::vector<double> softmax(const std::vector<double>& scores, double sink) {
  double maximum = sink;
  for (const double s : scores) maximum = std::max(maximum, s);
  std::vector<double> weights(scores.size(), 0.0);
  if (std::isinf(maximum)) return weights;
  double sum = std::exp(sink - maximum);
  for (const double s : scores) sum += std::exp(s - maximum);
  for (std::size_t j = 0; j < scores.size(); ++j) weights[j] = std::exp(scores[j] - maximum) / sum;
  return weights;
}

namespace {

/// The softmax row by row, or column by column with that mistake.
std::vector<std::vector<double>> weightsOf(std::vector<std::vector<double>> scores,
                                           bool overQueries,
                                           double sink = -std::numeric_limits<double>::infinity()) {
  if (!overQueries) {
    for (auto& row : scores) row = softmax(row, sink);
    return scores;
  }
  for (std::size_t j = 0; j < scores.front().size(); ++j) {
    std::vector<double> column;
    for (const auto& row : scores) column.push_back(row[j]);
    column = softmax(column);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i][j] = column[i];
  }
  return scores;
}

/// A head's query or key before scoring: normalised and turned where the configuration asks for it.
/// `heads` are the rows of all heads; `keep` receives the result of each of these steps.
template <typename Keep>
std::vector<double> scoredRow(const std::vector<std::vector<double>>& heads, Index head,
                              Index position, const AttentionConfig& c, bool query, Keep keep) {
  std::vector<double> row = heads[static_cast<std::size_t>(head)];
  if (c.headNorm.on()) {
    std::vector<double> together;  // the numbers of one norm
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const bool takesPart =
          c.headNorm.over() == HeadNorm::Over::allHeads || static_cast<Index>(h) == head;
      if (takesPart) together.insert(together.end(), heads[h].begin(), heads[h].end());
    }
    const auto count = static_cast<double>(together.size());
    double mean = 0.0, squares = 0.0;
    if (c.headNorm.kind() == HeadNorm::Kind::layer) {
      for (const double x : together) mean += x / count;
    }
    for (const double x : together) squares += (x - mean) * (x - mean) / count;
    const double root = std::sqrt(squares + c.headNorm.epsilon());
    const std::vector<float>& gains = query ? c.headNorm.q() : c.headNorm.k();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t at =
          gains.size() == row.size() ? i : static_cast<std::size_t>(head) * row.size() + i;
      row[i] = (row[i] - mean) * static_cast<double>(gains[at]) / root;
    }
    keep(query ? TensorId::qNorm : TensorId::kNorm, row);
  }
  if (c.rotary.on()) {
    const std::vector<double> frequencies = rotaryFrequencies(c.rotary, c.dK());
    const std::size_t half = frequencies.size();
    const bool neighbours = c.rotary.pairing == Rotary::Pairing::neighbours;
    for (std::size_t j = 0; j < half; ++j) {
      double& first = row[neighbours ? 2 * j : j];
      double& second = row[neighbours ? 2 * j + 1 : j + half];
      const auto turned =
          std::complex(first, second) *
          std::polar(c.rotary.amplitude, frequencies[j] * static_cast<double>(position));
      first = turned.real();
      second = turned.imag();
    }
    keep(query ? TensorId::qRot : TensorId::kRot, row);
  }
  return row;
}

/// The number that is added to a score: of the pair, or of the bucket of its distance (section 2.1
/// of Raffel et al. 2020, and the authors' code).
double pairBiasOf(const PairBias::Settings& s, Index head, Index query, Index key) {
  if (s.buckets == 0) {
    return static_cast<double>(
        s.values[static_cast<std::size_t>((head * s.queries + query) * s.keys + key)]);
  }
  Index count = s.buckets, first = 0, apart = std::max<Index>(0, query - key);
  if (s.bothWays) {
    count /= 2;
    first = key > query ? count : 0;
    apart = std::abs(key - query);
  }
  const Index exact = count / 2;
  Index bucket = apart;
  if (apart >= exact) {
    const double ratio = std::log(static_cast<double>(apart) / static_cast<double>(exact)) /
                         std::log(static_cast<double>(s.maxDistance) / static_cast<double>(exact));
    bucket = exact + static_cast<Index>(ratio * static_cast<double>(count - exact) + 1e-6);
    bucket = std::min(bucket, count - 1);
  }
  return static_cast<double>(s.values[static_cast<std::size_t>(head * s.buckets + first + bucket)]);
}

}  // namespace

std::vector<double> slopesOf(Index heads) {
  Index power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<double> slopes;
  const double start = std::pow(2.0, -8.0 / static_cast<double>(power));
  for (Index h = 0; h < power; ++h) slopes.push_back(std::pow(start, static_cast<double>(h + 1)));
  if (power == heads) return slopes;
  const std::vector<double> finer = slopesOf(2 * power);
  for (std::size_t h = 0; std::ssize(slopes) < heads; h += 2) slopes.push_back(finer[h]);
  return slopes;
}

Reference referencePass(const Document& d) {
  const AttentionConfig& c = d.config;
  const std::vector<double> slopes = slopesOf(c.numHeads);
  const Weights& w = d.weights;
  const Tensor& memory = c.crossAttention() ? d.input->memory : d.input->x;
  const Index heads = c.numHeads, dK = c.dK(), keys = c.keys();
  const double factor = (c.switches->scale ? 1.0 / std::sqrt(static_cast<double>(dK)) : 1.0) /
                        c.switches->temperature;
  Reference r;

  // y[t][o] of one item
  using Matrix = std::vector<std::vector<double>>;
  const auto linear = [&](const auto& at, Index rows, const Tensor& weight, const Tensor& bias) {
    Matrix y(static_cast<std::size_t>(rows));
    for (Index t = 0; t < rows; ++t) {
      for (Index o = 0; o < weight.dim(0); ++o) {
        double sum = c.switches->bias ? static_cast<double>(bias.at({o})) : 0.0;
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
    const Matrix g = c.switches->gate ? linear(x, c.seqLen, w.wG, w.bG) : Matrix{};
    appendAll(TensorId::qProj, q);
    appendAll(TensorId::kProj, k);
    appendAll(TensorId::vProj, v);
    // number i of token t of a head, by the definition of the split or of the mistakes in it
    const auto split = [&](const Matrix& whole, Index heads, Index h, Index t, Index i) {
      if (c.mistakes.sharedHead) h = 0;
      if (!c.mistakes.reshapeWithoutTranspose) return cell(whole, t, h * dK + i);
      const Index place = (h * static_cast<Index>(whole.size()) + t) * dK + i;
      return cell(whole, place / (heads * dK), place % (heads * dK));
    };
    const auto qAt = [&](Index h, Index t, Index i) { return split(q, heads, h, t, i); };
    const auto kAt = [&](Index h, Index t, Index i) { return split(k, c.numKvHeads, h, t, i); };
    const auto vAt = [&](Index h, Index t, Index i) { return split(v, c.numKvHeads, h, t, i); };
    const auto keepRow = [&](TensorId id, const std::vector<double>& row) {
      r[id].insert(r[id].end(), row.begin(), row.end());
    };
    const auto ofHeads = [&](Index count, const auto& at, Index t) {
      Matrix rows(static_cast<std::size_t>(count));
      for (Index h = 0; h < count; ++h) {
        for (Index i = 0; i < dK; ++i) rows[static_cast<std::size_t>(h)].push_back(at(h, t, i));
      }
      return rows;
    };
    std::vector<Matrix> scoredKeyRows;
    for (Index h = 0; h < c.numKvHeads; ++h) {
      scoredKeyRows.emplace_back();
      for (Index t = 0; t < keys; ++t) {
        for (Index i = 0; i < dK; ++i) {
          append(TensorId::k, kAt(h, t, i));
          append(TensorId::v, vAt(h, t, i));
        }
        scoredKeyRows.back().push_back(
            scoredRow(ofHeads(c.numKvHeads, kAt, t), h, t, c, false, keepRow));
      }
    }
    const auto pinned = [&](TensorId id, Index h, Index row, Index col, double computed) {
      const auto pin = d.pins.at({id, b, h, row, col});
      return pin ? static_cast<double>(*pin) : computed;
    };
    Matrix concat(static_cast<std::size_t>(c.seqLen));
    for (Index h = 0; h < heads; ++h) {
      const Index group = h / (heads / c.numKvHeads);
      Matrix masked(static_cast<std::size_t>(c.seqLen));
      for (Index t = 0; t < c.seqLen; ++t) {
        const Matrix queries = ofHeads(heads, qAt, t);
        keepRow(TensorId::q, queries[static_cast<std::size_t>(h)]);
        const std::vector<double> query = scoredRow(queries, h, t, c, true, keepRow);
        for (Index j = 0; j < keys; ++j) {
          double raw = 0.0;
          for (Index i = 0; i < dK; ++i) {
            raw += query[static_cast<std::size_t>(i)] *
                   cell(scoredKeyRows[static_cast<std::size_t>(group)], j, i);
          }
          if (c.relative.on()) {
            const auto& s = c.relative.settings();
            const Index rows = 2 * s.span, at = (h * rows + c.relative.rowOf(t - j)) * dK;
            for (Index i = 0; i < dK; ++i) {
              const auto place = static_cast<std::size_t>(at + i);
              if (!s.positionKeys.empty()) {
                raw +=
                    query[static_cast<std::size_t>(i)] * static_cast<double>(s.positionKeys[place]);
              }
              if (!s.positionQueries.empty()) {
                raw += cell(scoredKeyRows[static_cast<std::size_t>(group)], j, i) *
                       static_cast<double>(s.positionQueries[place]);
              }
            }
          }
          raw = pinned(TensorId::rawScores, h, t, j, raw);
          const double capped =
              c.switches->scoreCap > 0.0
                  ? c.switches->scoreCap * std::tanh(raw * factor / c.switches->scoreCap)
                  : raw * factor;
          const double score = pinned(TensorId::scores, h, t, j, capped);
          const double forbidden =
              c.mistakes.zeroForMasked ? 0.0 : -std::numeric_limits<double>::infinity();
          append(TensorId::rawScores, raw);
          append(TensorId::scores, score);
          const double penalty = c.switches->alibi ? slopes[static_cast<std::size_t>(h)] *
                                                         std::abs(static_cast<double>(t - j))
                                                   : 0.0;
          const double bias = c.pairBias.on() ? pairBiasOf(c.pairBias.settings(), h, t, j) : 0.0;
          masked[static_cast<std::size_t>(t)].push_back(
              mayAttend(c, b, t, j) ? score + bias - penalty : forbidden);
          append(TensorId::maskedScores, masked[static_cast<std::size_t>(t)].back());
        }
      }
      const double sink = c.sinks.empty()
                              ? -std::numeric_limits<double>::infinity()
                              : static_cast<double>(c.sinks[static_cast<std::size_t>(h)]);
      const Matrix weights = weightsOf(masked, c.mistakes.softmaxOverQueries, sink);
      const DroppedCells dropped(c);
      for (Index t = 0; t < c.seqLen; ++t) {
        std::vector<double> row = weights[static_cast<std::size_t>(t)];
        for (Index j = 0; j < keys; ++j) {
          double& weight = row[static_cast<std::size_t>(j)];
          if (c.dropout.on()) {
            weight = dropped(b, h, t, j) ? 0.0 : weight / (1.0 - c.dropout.rate);
          }
          weight = pinned(TensorId::weights, h, t, j, weight);
          append(TensorId::weights, weight);
        }
        for (Index i = 0; i < dK; ++i) {
          double sum = 0.0;
          for (Index j = 0; j < keys; ++j) {
            sum += row[static_cast<std::size_t>(j)] * vAt(group, j, i);
          }
          sum = pinned(TensorId::heads, h, t, i, sum * static_cast<double>(c.gain(h)));
          append(TensorId::heads, sum);
          if (c.switches->gate) {
            const double gate =
                pinned(TensorId::gate, h, t, i, 1.0 / (1.0 + std::exp(-cell(g, t, h * dK + i))));
            sum *= gate;
            append(TensorId::gate, gate);
            append(TensorId::gated, sum);
          }
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
