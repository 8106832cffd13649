// Two in one: one head asked to do what two heads do, beside the two.
//
// A head that holds both heads' matrices side by side, q = [q_a, q_b] and k = [k_a, k_b], has
// q·k = q_a·k_a + q_b·k_b: the score matrices add, and one softmax has to serve both. Its scores
// are scaled as the two heads' are, by 1/√d_k of one of them.
#pragma once

#include <array>
#include <optional>

#include "core/analysis/metrics.h"
#include "core/steps/step.h"
#include "core/weights/declared_relation.h"

namespace headscope {

struct TwoInOne {
  std::array<Tensor, 3> weights;  // (T, M): of the first head, the second, and the one of both
  /// [of which weights][for which relation]: the mean weight on the partners it declares.
  std::array<std::array<Measured, 2>, 3> scores;
  std::array<Measured, 3> entropy;  // bits, the mean over rows
};

/// Of one batch item. The mask is the document's; pins, dropout and gains are left out, so that all
/// three are made alike. Nothing where cancelled.
std::optional<TwoInOne> twoInOne(const Trace& trace, Index item, std::array<Index, 2> heads,
                                 const std::array<DeclaredRelation, 2>& relations,
                                 const Execution& execution = {});

}  // namespace headscope
