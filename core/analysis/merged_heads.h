// Two in one: one head asked to do what two heads do, beside the two.
//
// A head that holds both heads' matrices side by side, q = [q_a, q_b] and k = [k_a, k_b], has
// q·k = q_a·k_a + q_b·k_b: the score matrices add, and one softmax has to serve both. Its scores
// are scaled as the two heads' are, by 1/√d_k of one of them. A gain on a head's W_K multiplies its
// scores.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/base/execution.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/heads/declared_relations.h"

namespace headscope {

struct HeadRelation {
  Index head = 0;
  DeclaredRelation relation;
};

/// What the scores of the two are multiplied by, alone and together.
enum class PairGains {
  equal,   // so that each one's own key leads the other's by kEqualLead, as a mean over the queries
           // that are to look at two different keys: then none wins by its gain alone
  asBuilt  // 1
};

/// Logits: enough for one head alone to be sure, e^−12 for all else.
inline constexpr double kEqualLead = 12.0;
/// Losses that differ by less are equal, whatever rounding says.
inline constexpr double kEqualLosses = 1e-4;

/// A query that is to look at two keys.
struct ConflictedQuery {
  Index query = 0;
  std::array<Index, 2> partners{};  // the key it has in each relation
  std::array<float, 2> alone{};     // the weight on each by its own head
  std::array<float, 2> together{};  // and by the one of both
  Index most = 0;                   // the key that one looks at most
  float mostWeight = 0.0F;
};

struct MergedHeads {
  std::array<double, 2> gains{1.0, 1.0};
  std::array<Tensor, 3> weights;  // (T, M): of the first head, the second, and the one of both
  /// [of which weights][for which relation]: the mean weight on the partners it declares.
  std::array<std::array<MetricValue, 2>, 3> scores;
  std::array<MetricValue, 3> entropy;   // bits, the mean over rows
  std::optional<ConflictedQuery> torn;  // that loses most of both; none where no two keys differ
};

/// Compares two heads of one batch item with one head that has the matrices of both. The mask is
/// the document's; pins, dropout and head gains are left out, so that all three are made alike.
/// Nothing where cancelled.
std::optional<MergedHeads> twoInOne(const Trace& trace, Index item,
                                    const std::array<HeadRelation, 2>& pair, PairGains gains,
                                    const ExecutionContext& execution = {});

/// Finds which two of several relations (two at least) lose most when one head is to do both: the
/// pair whose smaller loss is the largest; the first of equals. A loss is what a relation's mean
/// weight on its partners loses at the queries that are to look at two different keys (at most
/// kRankedQueries of them, evenly taken). Nothing where cancelled.
std::optional<std::array<std::size_t, 2>> mostBlurred(const Trace& trace, Index item,
                                                      const std::vector<HeadRelation>& candidates,
                                                      PairGains gains,
                                                      const ExecutionContext& execution = {});

inline constexpr std::size_t kRankedQueries = 128;

}  // namespace headscope
