// Two in one: compares two heads with one head that has to do the work of both.
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

#include "core/analysis/metric_value.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/heads/declared_relations.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct HeadRelation {
  Index head = 0;
  DeclaredRelation relation;
};

/// The choice of the two gains that multiply the heads' scores, both alone and together.
enum class PairGains {
  equal,  // chosen so that each head's own key leads the other's by kEqualLead, on average over the
          // queries whose two keys differ: then neither wins by its gain alone
  asBuilt  // 1
};

/// The lead in logits. A head alone is then certain: all other keys get e^−12.
inline constexpr double kEqualLead = 12.0;
/// Losses that differ by less than this count as equal, so that rounding does not decide.
inline constexpr double kEqualLosses = 1e-4;

/// A query whose two relations have different partners.
struct ConflictedQuery {
  Index query = 0;
  std::array<Index, 2> partners{};  // its partner in each relation
  std::array<float, 2> alone{};     // the weight on each partner from its own head
  std::array<float, 2> together{};  // the weights from the merged head
  Index most = 0;                   // the key with the merged head's largest weight
  float mostWeight = 0.0F;
};

struct MergedHeads {
  std::array<double, 2> gains{1.0, 1.0};
  std::array<Tensor, 3> weights;  // (T, M): the first head's, the second's, the merged one's
  /// [weights][relation]: the mean of these weights on the partners of this relation.
  std::array<std::array<MetricValue, 2>, 3> scores;
  std::array<MetricValue, 3> entropy;   // bits, the mean over rows
  std::optional<ConflictedQuery> torn;  // with the greatest loss; none: no two keys differ
};

/// Compares two heads of one batch item with one head that has the matrices of both. The mask is
/// the document's; pins, dropout, head gains and sinks are left out, so that all three are computed
/// in one way. Nothing where cancelled.
std::optional<MergedHeads> twoInOne(const Trace& trace, Index item,
                                    const std::array<HeadRelation, 2>& pair, PairGains gains,
                                    const ExecutionContext& execution = {});

/// Finds the two of several relations (at least two) that lose most when one head serves both: the
/// pair whose smaller loss is the largest, the first on a tie. The loss of a relation is the
/// decrease of its mean weight on its partners, over the queries whose two keys differ (at most
/// kRankedQueries, evenly spaced). Nothing where cancelled.
std::optional<std::array<std::size_t, 2>> mostBlurred(const Trace& trace, Index item,
                                                      const std::vector<HeadRelation>& candidates,
                                                      PairGains gains,
                                                      const ExecutionContext& execution = {});

inline constexpr std::size_t kRankedQueries = 128;

}  // namespace headscope
