#include "core/analysis/most_blurred.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/analysis/added_scores.h"
#include "core/analysis/counted_rows.h"
#include "core/execution.h"
#include "core/platform/threads.h"

namespace headscope {
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
        partners.push_back(c.relation.partners.at(static_cast<std::size_t>(item))
                               .at(static_cast<std::size_t>(row.row)));
        if (partners.back()) ++withPartner_[partners.size() - 1];
      }
      if (someDiffer(partners)) torn.emplace_back(row.row, std::move(partners));
    }
    const std::size_t taken = std::min(torn.size(), kRankedQueries);
    for (std::size_t i = 0; i < taken; ++i) queries_.push_back(torn[i * torn.size() / taken]);
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      for (std::size_t b = a + 1; b < candidates.size(); ++b) pairs_.push_back({a, b});
    }
  }

  /// How many scores are looked at.
  Index work() const { return static_cast<Index>(queries_.size() * pairs_.size() * width_); }

  std::optional<std::array<std::size_t, 2>> worst(PairGains gains, const Execution& execution) {
    std::vector<Both> gainsOf(pairs_.size(), {1.0, 1.0});
    if (gains == PairGains::equal) {
      std::vector<Leads> leads(pairs_.size());
      for (std::size_t i = 0; i < queries_.size() && !execution.stop(); ++i) addLeads(i, leads);
      for (std::size_t p = 0; p < pairs_.size(); ++p) gainsOf[p] = leads[p].equalGains();
    }
    std::vector<std::vector<Both>> losses(queries_.size());  // added up in order
    overPieces(static_cast<Index>(queries_.size()), execution, [&](Index i) {
      losses[static_cast<std::size_t>(i)] = lossesOf(static_cast<std::size_t>(i), gainsOf);
    });
    if (execution.stop()) return std::nullopt;
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      double smaller = 1.0;
      for (std::size_t r = 0; r < 2; ++r) {
        double sum = 0.0;
        for (const auto& ofQuery : losses) sum += ofQuery[p][r];
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

  void addLeads(std::size_t i, std::vector<Leads>& leads) const {
    const auto& [query, partners] = queries_[i];
    const auto scores = scoresOf(query);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [a, b] = pairs_[p];
      if (!differ(partners[a], partners[b])) continue;
      leads[p].add({added_.lead(query, scores[a], *partners[a], *partners[b]),
                    added_.lead(query, scores[b], *partners[b], *partners[a])});
    }
  }

  /// Of every pair: what each of the two loses of this query.
  std::vector<Both> lossesOf(std::size_t i, const std::vector<Both>& gainsOf) const {
    const auto& [query, partners] = queries_[i];
    const auto scores = scoresOf(query);
    std::vector<Both> losses(pairs_.size(), {0.0, 0.0});
    std::vector<float> row(width_);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [a, b] = pairs_[p];
      if (!differ(partners[a], partners[b])) continue;
      const std::array keys{static_cast<std::size_t>(*partners[a]),
                            static_cast<std::size_t>(*partners[b])};
      const Both& gains = gainsOf[p];
      const std::array<Both, 3> parts{Both{gains[0], 0.0}, Both{0.0, gains[1]}, gains};
      for (std::size_t w = 0; w < 3; ++w) {
        addScores(scores[a], scores[b], parts[w], row);
        added_.softmax(query, row);
        for (std::size_t r = 0; r < 2; ++r) {
          const auto weight = static_cast<double>(row[keys[r]]);
          if (w == r) losses[p][r] += weight;  // alone
          if (w == 2) losses[p][r] -= weight;  // together
        }
      }
    }
    return losses;
  }

  AddedScores added_;
  const std::vector<HeadRelation>& candidates_;
  std::size_t width_;
  std::vector<double> withPartner_;
  std::vector<std::pair<Index, Partners>> queries_;
  std::vector<std::array<std::size_t, 2>> pairs_;
};

}  // namespace

std::optional<std::array<std::size_t, 2>> mostBlurred(const Trace& trace, Index item,
                                                      const std::vector<HeadRelation>& candidates,
                                                      PairGains gains, const Execution& execution) {
  Ranking ranking(trace, item, candidates);
  const ThreadCount threads(threadsFor(3 * ranking.work(), execution.threads));
  return ranking.worst(gains, execution);
}

}  // namespace headscope
