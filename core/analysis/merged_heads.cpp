#include "core/analysis/merged_heads.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include "core/analysis/head_report.h"
#include "core/analysis/rows.h"
#include "core/analysis/sharpness.h"
#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/platform/threads.h"
#include "core/tensor/finite.h"

namespace headscope {

namespace {

/// Computes rows of raw scores and their softmax. The softmax of a sum of two heads' scores, each
/// times a gain, is that of one head with the matrices of both. Pins are left out. With ALiBi the
/// slopes are added like the scores.
class AddedScores {
 public:
  AddedScores(const Trace& trace, Index item);

  /// Writes the raw scores of a head for a query, with its pair bias before the scaling.
  void scores(Index head, Index query, std::span<float> row) const;
  /// ALiBi's slope of a head; 0 without ALiBi.
  double slope(Index head) const {
    return trace_.config().switches->alibi ? alibiSlope(head, config_.numHeads) : 0.0;
  }
  /// Replaces raw scores by weights, with that slope of ALiBi.
  void softmax(Index query, std::span<float> row, double slope) const;
  /// The lead of the key `own` over `other` in a head's row of raw scores, in logits; none where
  /// one of them is masked.
  std::optional<double> lead(Index head, Index query, std::span<const float> row, Index own,
                             Index other) const;

 private:
  const Trace& trace_;
  AttentionConfig config_;  // without ALiBi, whose slopes are given, and the pair bias
  Index item_;
};

/// sum = gains[0] · a + gains[1] · b
void addScores(std::span<const float> a, std::span<const float> b, std::array<double, 2> gains,
               std::span<float> sum);

/// The query's partner; none where it has several, among which one head may divide its weight.
std::optional<Index> onlyPartner(const HeadRelation& of, Index item, Index query) {
  const std::vector<Index>& keys =
      of.relation.partners.at(static_cast<std::size_t>(item)).at(static_cast<std::size_t>(query));
  return keys.size() == 1 ? std::optional<Index>(keys.front()) : std::nullopt;
}

/// Returns whether the relations have two different partners.
inline bool differ(const std::optional<Index>& a, const std::optional<Index>& b) {
  return a && b && *a != *b;
}

/// The mean leads of two relations' own keys, over the queries whose partners differ.
class Leads {
 public:
  void add(const std::array<std::optional<double>, 2>& leads) {
    if (!leads[0] || !leads[1]) return;
    for (std::size_t r = 0; r < 2; ++r) sum_[r] += *leads[r];
    ++count_;
  }
  /// The gains that make both mean leads kEqualLead; 1 where no key leads.
  std::array<double, 2> equalGains() const;

 private:
  std::array<double, 2> sum_{0.0, 0.0};
  Index count_ = 0;
};

AddedScores::AddedScores(const Trace& trace, Index item)
    : trace_(trace), config_(trace.config()), item_(item) {
  config_.switches->alibi = false;
  config_.pairBias = {};
}

void AddedScores::scores(Index head, Index query, std::span<float> row) const {
  trace_.tile(TensorId::rawScores, item_, head, query, 1, 0, static_cast<Index>(row.size()),
              row.data());
  const PairBias& bias = trace_.config().pairBias;
  if (!bias.on()) return;
  const float factor = config_.scoreMultiplier();
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] += bias.at(head, query, static_cast<Index>(j)) / factor;
  }
}

void AddedScores::softmax(Index query, std::span<float> row, double slope) const {
  const RowPart place{item_, 0, query, 0};
  scaleScores(row, row, config_, {}, place);
  if (slope != 0.0) subtractAlibi(row, static_cast<float>(slope), query, 0);
  if (config_.mistakes.zeroForMasked) maskScores(row, config_, place);
  const auto keys = static_cast<Index>(row.size());
  if (!allFinite({row.data(), 1, keys, keys, 1})) {
    throw UserError(
        tr("the two heads' scores together do not fit a 32-bit float: scale W_Q or W_K down"));
  }
  softmaxRow(row, softmaxKeys(config_, item_, query));
}

std::optional<double> AddedScores::lead(Index head, Index query, std::span<const float> row,
                                        Index own, Index other) const {
  const AllowedKeys allowed = softmaxKeys(config_, item_, query);
  if (!allowed(own) || !allowed(other)) return std::nullopt;
  std::array both{row[static_cast<std::size_t>(own)], row[static_cast<std::size_t>(other)]};
  scaleScores(both, both, config_, {}, {item_, 0, query, 0});
  const auto farther = static_cast<double>(std::abs(own - query) - std::abs(other - query));
  return static_cast<double>(both[0]) - static_cast<double>(both[1]) - slope(head) * farther;
}

void addScores(std::span<const float> a, std::span<const float> b, std::array<double, 2> gains,
               std::span<float> sum) {
  const auto first = static_cast<float>(gains[0]);
  const auto second = static_cast<float>(gains[1]);
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = first * a[j] + second * b[j];
}

std::array<double, 2> Leads::equalGains() const {
  if (count_ == 0 || sum_[0] <= 0.0 || sum_[1] <= 0.0) return {1.0, 1.0};
  const double wanted = kEqualLead * static_cast<double>(count_);
  const std::array gains{wanted / sum_[0], wanted / sum_[1]};
  // for tiny leads the gains would exceed float32
  const bool usable = std::max(gains[0], gains[1]) <= std::numeric_limits<float>::max();
  return usable ? gains : std::array{1.0, 1.0};
}

MetricValue meanEntropy(const Tensor& weights, const CountedRows& counted) {
  if (counted.empty()) return MetricValue::undefined(counted.whyEmpty());
  const ConstMatrixView view = weights.matrix();
  double sum = 0.0;
  for (const CountedRow& row : counted.rows) sum += spreadOf(view.row(row.row)).entropy;
  return {sum / static_cast<double>(counted.rows.size()), {}};
}

/// The queries whose two partners differ, with those partners.
std::vector<ConflictedQuery> tornQueries(const std::array<HeadRelation, 2>& pair, Index item,
                                         const CountedRows& counted) {
  std::vector<ConflictedQuery> torn;
  for (const CountedRow& row : counted.rows) {
    const auto a = onlyPartner(pair[0], item, row.row);
    const auto b = onlyPartner(pair[1], item, row.row);
    if (differ(a, b)) torn.push_back({row.row, {*a, *b}, {}, {}, 0, 0.0F});
  }
  return torn;
}

/// The query whose smaller loss is the largest; the first on a tie.
std::optional<ConflictedQuery> worstOf(std::vector<ConflictedQuery> torn,
                                       const std::array<Tensor, 3>& weights) {
  std::optional<ConflictedQuery> worst;
  double most = 0.0;
  for (ConflictedQuery& query : torn) {
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

/// The work of twoInOne. Its functions are called in the order of their declaration.
class TwoInOneWork {
 public:
  TwoInOneWork(const Trace& trace, Index item, const std::array<HeadRelation, 2>& pair,
               PairGains gains, MergedHeads& into)
      : added_(trace, item),
        item_(item),
        pair_(pair),
        gains_(gains),
        counted_(countedRows(trace.document(), item)),
        torn_(tornQueries(pair, item, counted_)),
        into_(into) {
    into_ = {};
    for (std::size_t w = 0; w < 3; ++w) {
      into_.weights[w] = Tensor::uninitialised({trace.config().seqLen, trace.config().keys()});
      out_[w] = into_.weights[w].mutableMatrix();
    }
  }

  /// Computes the two heads' raw scores of a query.
  void score(Index query) const {
    for (std::size_t h = 0; h < 2; ++h) added_.scores(pair_[h].head, query, out_[h].row(query));
  }

  /// Chooses the gains from the scores of all queries.
  void chooseGains() {
    if (gains_ == PairGains::asBuilt) return;
    Leads leads;
    for (const ConflictedQuery& query : torn_) {
      const auto [a, b] = query.partners;
      leads.add({added_.lead(pair_[0].head, query.query, out_[0].row(query.query), a, b),
                 added_.lead(pair_[1].head, query.query, out_[1].row(query.query), b, a)});
    }
    into_.gains = leads.equalGains();
  }

  /// Computes all three heads' weights of a query.
  void weigh(Index query) const {
    addScores(out_[0].row(query), out_[1].row(query), into_.gains, out_[2].row(query));
    for (std::size_t h = 0; h < 2; ++h) {
      for (float& score : out_[h].row(query)) score *= static_cast<float>(into_.gains[h]);
    }
    const std::array slopes{into_.gains[0] * added_.slope(pair_[0].head),
                            into_.gains[1] * added_.slope(pair_[1].head)};
    added_.softmax(query, out_[0].row(query), slopes[0]);
    added_.softmax(query, out_[1].row(query), slopes[1]);
    added_.softmax(query, out_[2].row(query), slopes[0] + slopes[1]);
  }

  /// Measures one of the three heads.
  void measure(std::size_t which) {
    for (std::size_t r = 0; r < 2; ++r) {
      into_.scores[which][r] =
          partnerWeight(into_.weights[which].matrix(), counted_,
                        pair_[r].relation.partners.at(static_cast<std::size_t>(item_)));
    }
    into_.entropy[which] = meanEntropy(into_.weights[which], counted_);
  }

  void findTorn() { into_.torn = worstOf(std::move(torn_), into_.weights); }

 private:
  AddedScores added_;
  Index item_;
  const std::array<HeadRelation, 2>& pair_;
  PairGains gains_;
  CountedRows counted_;
  std::vector<ConflictedQuery> torn_;
  MergedHeads& into_;
  std::array<MatrixView, 3> out_;  // of its weights, which are scores at first
};

}  // namespace

std::optional<MergedHeads> twoInOne(const Trace& trace, Index item,
                                    const std::array<HeadRelation, 2>& pair, PairGains gains,
                                    const ExecutionContext& execution) {
  const Index queries = trace.config().seqLen;
  const ScopedThreadLimit threads(
      threadsFor(queries * trace.config().keys() * 3, execution.threads));
  MergedHeads result;
  TwoInOneWork work(trace, item, pair, gains, result);
  parallelFor(queries, execution, [&](Index query) { work.score(query); });
  if (execution.stop()) return std::nullopt;
  work.chooseGains();
  parallelFor(queries, execution, [&](Index query) { work.weigh(query); });
  if (execution.stop()) return std::nullopt;
  parallelFor(3, execution, [&](Index which) { work.measure(static_cast<std::size_t>(which)); });
  if (execution.stop()) return std::nullopt;
  work.findTorn();
  return result;
}

namespace {

/// The key that each candidate has for a query.
using Partners = std::vector<std::optional<Index>>;
using Both = std::array<double, 2>;

bool someDiffer(const Partners& partners) {
  return std::any_of(partners.begin(), partners.end(), [&](const auto& a) {
    return std::any_of(partners.begin(), partners.end(),
                       [&](const auto& b) { return differ(a, b); });
  });
}

class Ranking {
 public:
  Ranking(const Trace& trace, Index item, const std::vector<HeadRelation>& candidates)
      : added_(trace, item),
        candidates_(candidates),
        width_(static_cast<std::size_t>(trace.config().keys())),
        withPartner_(candidates.size(), 0.0) {
    std::vector<std::pair<Index, Partners>> torn;
    for (const CountedRow& row : countedRows(trace.document(), item).rows) {
      Partners partners;
      for (const HeadRelation& c : candidates) {
        partners.push_back(onlyPartner(c, item, row.row));
        if (partners.back()) ++withPartner_[partners.size() - 1];
      }
      if (someDiffer(partners)) torn.emplace_back(row.row, std::move(partners));
    }
    const std::size_t taken = std::min(torn.size(), kRankedQueries);
    for (std::size_t i = 0; i < taken; ++i) queries_.push_back(torn[i * torn.size() / taken]);
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      for (std::size_t b = a + 1; b < candidates.size(); ++b) pairs_.push_back({a, b});
    }
    leads_.resize(pairs_.size());
    gains_.resize(pairs_.size(), {1.0, 1.0});
    losses_.resize(queries_.size());
  }

  /// The number of scores that are read.
  Index work() const { return static_cast<Index>(queries_.size() * pairs_.size() * width_); }

  Index queries() const { return static_cast<Index>(queries_.size()); }

  /// Computes equal gains after all leads have been added.
  void chooseGains() {
    for (std::size_t p = 0; p < pairs_.size(); ++p) gains_[p] = leads_[p].equalGains();
  }

  /// Adds the leads of every pair at a query. The calls must be sequential: the leads are summed.
  void addLeads(Index i) {
    const auto& [query, partners] = queries_[static_cast<std::size_t>(i)];
    const auto scores = scoresOf(query);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [a, b] = pairs_[p];
      if (!differ(partners[a], partners[b])) continue;
      leads_[p].add(
          {added_.lead(candidates_[a].head, query, scores[a], *partners[a], *partners[b]),
           added_.lead(candidates_[b].head, query, scores[b], *partners[b], *partners[a])});
    }
  }

  /// Measures the losses of both relations of every pair at a query.
  void measureLosses(Index i) {
    const auto& [query, partners] = queries_[static_cast<std::size_t>(i)];
    const auto scores = scoresOf(query);
    std::vector<Both>& losses = losses_[static_cast<std::size_t>(i)];
    losses.assign(pairs_.size(), {0.0, 0.0});
    std::vector<float> row(width_);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [a, b] = pairs_[p];
      if (!differ(partners[a], partners[b])) continue;
      const std::array keys{static_cast<std::size_t>(*partners[a]),
                            static_cast<std::size_t>(*partners[b])};
      const Both& gains = gains_[p];
      const std::array<Both, 3> parts{Both{gains[0], 0.0}, Both{0.0, gains[1]}, gains};
      for (std::size_t w = 0; w < 3; ++w) {
        addScores(scores[a], scores[b], parts[w], row);
        added_.softmax(query, row,
                       parts[w][0] * added_.slope(candidates_[a].head) +
                           parts[w][1] * added_.slope(candidates_[b].head));
        for (std::size_t r = 0; r < 2; ++r) {
          const auto weight = static_cast<double>(row[keys[r]]);
          if (w == r) losses[p][r] += weight;  // alone
          if (w == 2) losses[p][r] -= weight;  // together
        }
      }
    }
  }

  /// Returns the pair with the greatest loss. All losses must have been measured.
  std::array<std::size_t, 2> worst() const {
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      double smaller = 1.0;
      for (std::size_t r = 0; r < 2; ++r) {
        double sum = 0.0;
        for (const auto& ofQuery : losses_) sum += ofQuery[p][r];
        smaller = std::min(smaller, sum / std::max(withPartner_[pairs_[p][r]], 1.0));
      }
      if (p > 0 && smaller <= most + kEqualLosses) continue;
      most = smaller;
      worst = p;
    }
    return pairs_[worst];
  }

 private:
  std::vector<std::vector<float>> scoresOf(Index query) const {
    std::vector<std::vector<float>> scores(candidates_.size(), std::vector<float>(width_));
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      added_.scores(candidates_[c].head, query, scores[c]);
    }
    return scores;
  }

  AddedScores added_;
  const std::vector<HeadRelation>& candidates_;
  std::size_t width_;
  std::vector<double> withPartner_;
  std::vector<std::pair<Index, Partners>> queries_;
  std::vector<std::array<std::size_t, 2>> pairs_;
  std::vector<Leads> leads_;               // of every pair
  std::vector<Both> gains_;                // of every pair
  std::vector<std::vector<Both>> losses_;  // of every query and pair
};

}  // namespace

std::optional<std::array<std::size_t, 2>> mostBlurred(const Trace& trace, Index item,
                                                      const std::vector<HeadRelation>& candidates,
                                                      PairGains gains,
                                                      const ExecutionContext& execution) {
  Ranking ranking(trace, item, candidates);
  if (gains == PairGains::equal) {
    for (Index i = 0; i < ranking.queries() && !execution.stop(); ++i) ranking.addLeads(i);
    ranking.chooseGains();
  }
  const ScopedThreadLimit threads(threadsFor(3 * ranking.work(), execution.threads));
  parallelFor(ranking.queries(), execution, [&](Index i) { ranking.measureLosses(i); });
  if (execution.stop()) return std::nullopt;
  return ranking.worst();
}

}  // namespace headscope
