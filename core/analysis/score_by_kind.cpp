#include "core/analysis/score_by_kind.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/rotary.h"
#include "core/attention/rotary_row.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

/// The parts of a head's query or key: one vector of d_k numbers for each kind, and the bias.
using Parts = std::vector<std::vector<double>>;

/// One side of the scores of a head.
class Side {
 public:
  Side(const Trace& trace, Index item, Index head, bool ofQuery, std::span<const Index> kindOf,
       Index kinds)
      : trace_(trace), item_(item), ofQuery_(ofQuery), kindOf_(kindOf), kinds_(kinds) {
    const AttentionConfig& c = trace.config();
    own_ = ofQuery ? head : c.kvHead(head);
    if (c.rotary.on()) frequencies_ = rotaryFrequencies(c.rotary, c.dK());
  }

  Parts at(Index place) const {
    const AttentionConfig& c = trace_.config();
    const Weights& w = trace_.document().weights;
    const Tensor &matrix = ofQuery_ ? w.wQ : w.wK, &bias = ofQuery_ ? w.bQ : w.bK;
    const bool ofMemory = !ofQuery_ && c.crossAttention();
    const Tensor& x = ofMemory ? trace_.document().input->memory : trace_.document().input->x;
    const auto row = x.matrix({item_}).row(place);
    const Index dK = c.dK(), width = matrix.dim(1);
    Parts parts(static_cast<std::size_t>(kinds_ + 1),
                std::vector<double>(static_cast<std::size_t>(dK)));
    for (Index k = 0; k < dK; ++k) {
      const float* weights = matrix.data() + (own_ * dK + k) * width;
      const auto at = static_cast<std::size_t>(k);
      for (std::size_t column = 0; column < kindOf_.size(); ++column) {
        parts[static_cast<std::size_t>(kindOf_[column])][at] +=
            static_cast<double>(weights[column]) * static_cast<double>(row[column]);
      }
      if (c.switches->bias) parts.back()[at] = static_cast<double>(bias.data()[own_ * dK + k]);
    }
    rotate(parts, place);
    return parts;
  }

 private:
  void rotate(Parts& parts, Index place) const {
    const AttentionConfig& c = trace_.config();
    if (!c.rotary.on()) return;
    const Index position = ofQuery_ ? c.firstQuery + place : place;
    const RotaryRow turn(c.rotary, c.dK(), frequencies_, position);
    std::vector<float> turned(static_cast<std::size_t>(c.dK()));
    for (std::vector<double>& part : parts) {
      const std::vector<float> plain(part.begin(), part.end());
      turn.apply(plain.data(), turned.data());
      std::ranges::copy(turned, part.begin());
    }
  }

  const Trace& trace_;
  Index item_;
  bool ofQuery_;
  std::span<const Index> kindOf_;
  Index kinds_;
  Index own_ = 0;  // the head within its side
  std::vector<double> frequencies_;
};

/// factor · q · k for each pair of parts.
Matrix64 products(const Parts& queries, const Parts& keys, double factor) {
  Matrix64 values(std::ssize(queries), std::ssize(keys));
  for (std::size_t a = 0; a < queries.size(); ++a) {
    for (std::size_t b = 0; b < keys.size(); ++b) {
      double sum = 0.0;
      for (std::size_t k = 0; k < queries[a].size(); ++k) sum += queries[a][k] * keys[b][k];
      values(static_cast<Index>(a), static_cast<Index>(b)) = factor * sum;
    }
  }
  return values;
}

double sumOf(const Matrix64& values) {
  double sum = 0.0;
  for (const double value : values.values) sum += value;
  return sum;
}

}  // namespace

std::string whyNoScoreByKind(const Trace& trace) {
  const AttentionConfig& c = trace.config();
  if (c.headNorm.on()) {
    return tr(
        "This layer normalises queries and keys, so that a score is no sum over the columns of "
        "X.");
  }
  if (c.relative.on()) {
    return tr(
        "This layer adds scores of relative positions, so that a score is no sum over the columns "
        "of X.");
  }
  if (c.kvWidth() != c.dModel) {
    return tr("The memory has another width than X, and its columns have no kinds.");
  }
  if (c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead) {
    return tr("A planted mistake mixes the heads: switch it off to see what a score is made of.");
  }
  return {};
}

ScoreByKind scoreByKind(const Trace& trace, Index item, Index head, Index query, Index key,
                        std::span<const Index> kindOf, Index kinds,
                        const ExecutionContext& execution) {
  const AttentionConfig& c = trace.config();
  const auto factor = static_cast<double>(c.scoreMultiplier());
  const Parts queries = Side(trace, item, head, true, kindOf, kinds).at(query);
  const Side keys(trace, item, head, false, kindOf, kinds);
  ScoreByKind found;
  found.values = found.above = products(queries, keys.at(key), factor);
  found.score = sumOf(found.values);
  const AllowedKeys allowed = allowedKeys(c.mask, item, query, c.keys());
  Matrix64 others(kinds + 1, kinds + 1);
  for (Index other = 0; other < c.keys(); ++other) {
    if (execution.stop()) return {};
    if (other == key || !allowed(other)) continue;
    ++found.otherKeys;
    const Matrix64 values = products(queries, keys.at(other), factor);
    for (std::size_t i = 0; i < values.values.size(); ++i) others.values[i] += values.values[i];
  }
  if (found.otherKeys == 0) return found;
  for (std::size_t i = 0; i < others.values.size(); ++i) {
    others.values[i] /= static_cast<double>(found.otherKeys);
    found.above.values[i] -= others.values[i];
  }
  found.others = sumOf(others);
  return found;
}

}  // namespace headscope
