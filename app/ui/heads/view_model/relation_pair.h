// Relation pair: two heads that each follow a declared relation, and one head that is asked to do
// what both do: the measurements, and the words about them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/view_model/grid.h"
#include "app/ui/parts/reduce.h"
#include "core/analysis/merged_heads.h"

namespace headscope::ui {

using HeadRelations = std::vector<HeadRelation>;

/// The measurements of two relations.
struct PairFigures {
  std::array<HeadRelation, 2> pair;
  std::shared_ptr<const MergedHeads> measured;
  Mask mask;
  Index item = 0;
  std::uint64_t revision = 0;  // distinguishes different measurements

  /// The weights of the two heads (0, 1) or of the merged head (2); keys that the mask forbids are
  /// masked cells.
  CellRows weights(std::size_t which) const;
};

/// Returns the heads whose relation has a partner for some token of the item.
HeadRelations relationsWithPartners(const Document& document, Index item);
const HeadRelation* relationOf(const HeadRelations& relations, Index head);

/// Returns the user's pair if this sentence has both relations; else empty.
std::vector<Index> chosenRelations(const HeadsView& view, const HeadRelations& relations);

/// Measures two relations. With empty `heads`, they are the two that blur most. Returns none where
/// cancelled.
std::optional<PairFigures> measurePair(const Trace& trace, Index item,
                                       const HeadRelations& relations,
                                       const std::vector<Index>& heads, PairGains gains,
                                       const ExecutionContext& execution);

// Words.

/// Returns "0.41", or the reason where there is no score.
std::string scoreText(const MetricValue& score);
/// Returns "Head 1 · scores × 0.41".
std::string pairHeadName(const HeadRelation& head, double gain);
/// Returns a sentence about the query that should look at two keys, else about the two scores.
std::string pairAnswer(const HeadsState& state, const PairFigures& figures);
/// Returns all that was measured, in sentences.
std::string pairConclusion(const HeadsState& state, const PairFigures& figures);

}  // namespace headscope::ui
