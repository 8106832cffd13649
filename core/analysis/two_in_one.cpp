#include "core/analysis/two_in_one.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/analysis/added_scores.h"
#include "core/analysis/counted_rows.h"
#include "core/analysis/head_labels.h"
#include "core/analysis/row_distribution.h"
#include "core/execution.h"
#include "core/platform/threads.h"

namespace headscope {
namespace {

Measured meanEntropy(const Tensor& weights, const CountedRows& counted) {
  if (counted.empty()) return Measured::undefined(counted.whyEmpty());
  const ConstMatrixView view = weights.matrix();
  double sum = 0.0;
  for (const CountedRow& row : counted.rows) sum += spreadOf(view.row(row.row)).entropy;
  return {sum / static_cast<double>(counted.rows.size()), {}};
}

/// The queries that are to look at two different keys, with these.
std::vector<TornQuery> tornQueries(const std::array<HeadRelation, 2>& pair, Index item,
                                   const CountedRows& counted) {
  const auto& first = pair[0].relation.partners.at(static_cast<std::size_t>(item));
  const auto& second = pair[1].relation.partners.at(static_cast<std::size_t>(item));
  std::vector<TornQuery> torn;
  for (const CountedRow& row : counted.rows) {
    const auto& a = first.at(static_cast<std::size_t>(row.row));
    const auto& b = second.at(static_cast<std::size_t>(row.row));
    if (differ(a, b)) torn.push_back({row.row, {*a, *b}, {}, {}, 0, 0.0F});
  }
  return torn;
}

/// The one whose smaller loss is the largest; the first of equals.
std::optional<TornQuery> worstOf(std::vector<TornQuery> torn,
                                 const std::array<Tensor, 3>& weights) {
  std::optional<TornQuery> worst;
  double most = 0.0;
  for (TornQuery& query : torn) {
    const std::span<const float> both = weights[2].matrix().row(query.query);
    double loss = 1.0;
    for (std::size_t r = 0; r < 2; ++r) {
      query.alone[r] = weights[r].matrix()(query.query, query.partners[r]);
      query.together[r] = weights[2].matrix()(query.query, query.partners[r]);
      loss = std::min(loss, static_cast<double>(query.alone[r] - query.together[r]));
    }
    if (worst && loss <= most + kEqualLosses) continue;
    most = loss;
    const auto largest = std::max_element(both.begin(), both.end());
    query.most = static_cast<Index>(largest - both.begin());
    query.mostWeight = *largest;
    worst = query;
  }
  return worst;
}

}  // namespace

std::optional<TwoInOne> twoInOne(const Trace& trace, Index item,
                                 const std::array<HeadRelation, 2>& pair, PairGains gains,
                                 const Execution& execution) {
  const AddedScores added(trace, item);
  const AttentionConfig& c = trace.config();
  const ThreadCount threads(threadsFor(c.seqLen * c.keys() * 3, execution.threads));
  TwoInOne found;
  for (Tensor& weights : found.weights) weights = Tensor::uninitialised({c.seqLen, c.keys()});
  std::array<MatrixView, 3> out{found.weights[0].mutableMatrix(), found.weights[1].mutableMatrix(),
                                found.weights[2].mutableMatrix()};
  overPieces(c.seqLen, execution, [&](Index i) {
    for (std::size_t h = 0; h < 2; ++h) added.scores(pair[h].head, i, out[h].row(i));
  });
  if (execution.stop()) return std::nullopt;
  const CountedRows counted = countedRows(trace.document(), item);
  const std::vector<TornQuery> torn = tornQueries(pair, item, counted);
  if (gains == PairGains::equal) {
    Leads leads;
    for (const TornQuery& query : torn) {
      const auto [a, b] = query.partners;
      leads.add({added.lead(query.query, out[0].row(query.query), a, b),
                 added.lead(query.query, out[1].row(query.query), b, a)});
    }
    found.gains = leads.equalGains();
  }
  overPieces(c.seqLen, execution, [&](Index i) {
    addScores(out[0].row(i), out[1].row(i), found.gains, out[2].row(i));
    for (std::size_t h = 0; h < 2; ++h) {
      for (float& score : out[h].row(i)) score *= static_cast<float>(found.gains[h]);
    }
    for (const MatrixView& matrix : out) added.softmax(i, matrix.row(i));
  });
  if (execution.stop()) return std::nullopt;
  for (std::size_t w = 0; w < 3; ++w) {
    for (std::size_t r = 0; r < 2; ++r) {
      found.scores[w][r] =
          partnerWeight(found.weights[w].matrix(), counted,
                        pair[r].relation.partners.at(static_cast<std::size_t>(item)));
    }
    found.entropy[w] = meanEntropy(found.weights[w], counted);
  }
  found.torn = worstOf(torn, found.weights);
  return found;
}

}  // namespace headscope
