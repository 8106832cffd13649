// Pairs without: what a score loses without a pair of writers, one of its query and one of its key.
// Each writer is left out of a pass of its own, in which all up to the head runs again; that
// changes the query by Δq, or the key by Δk, and the pair gives Δq · Δk:
//   score − score(q without its writer) − score(k without its writer) + score(both without theirs).
// With norms and patterns held that is the pair's part of the score.
#pragma once

#include <vector>

#include "core/model/pass_without.h"
#include "core/model/score_parts.h"

namespace headscope::model {

struct WithoutPair {
  Writer query, key;
  double frozen = 0.0;  // minus the pair's part
  double total = 0.0;   // minus what it gives where all up to the head runs again
};

/// The largest pairs of a score whose writers can both be left out; a unit is one pass.
class PairsWithout {
 public:
  /// `trace` is the pass of a decoder, or of a model's only stack.
  PairsWithout(ModelTracePtr trace, const ScoreParts& score, std::size_t most,
               const ExecutionContext& execution);

  /// Runs one pass; returns true after the last one, and where `execution` was cancelled.
  bool runUnit();
  Index units() const { return std::ssize(sides_); }
  Index unitsDone() const { return static_cast<Index>(next_); }
  /// The pairs, the largest first; empty until all passes have run.
  std::vector<WithoutPair> found() const;

 private:
  /// A writer of one side, and what the query or key loses without it.
  struct LeftOutSide {
    LeftOut out;
    bool ofQuery = false;
    std::vector<double> lost = {};  // (d_k)
  };

  std::size_t sideOf(const Writer& writer, bool ofQuery);

  ModelTracePtr trace_;
  ScoreParts score_;
  ScoredPair base_;
  ExecutionContext execution_;
  std::vector<LeftOutSide> sides_;
  std::vector<WithoutPair> pairs_;
  std::vector<std::pair<std::size_t, std::size_t>> sidesOfPairs_;
  std::size_t next_ = 0;
};

/// The change without a pair; null where it was not measured.
const WithoutPair* changeWithout(const std::vector<WithoutPair>& pairs, const Writer& query,
                                 const Writer& key);

/// The pairs at once. Empty where `execution` was cancelled.
std::vector<WithoutPair> pairsWithout(const ModelTracePtr& trace, const ScoreParts& score,
                                      std::size_t most, const ExecutionContext& execution = {});

}  // namespace headscope::model
