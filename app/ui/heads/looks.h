// Looks: the tabs of the card that shows where each token looks, and the parts they share.
#pragma once

#include <memory>
#include <optional>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_choice.h"

namespace headscope::ui {

/// A line per weight from each query to the keys it looks at, thickness by weight.
std::unique_ptr<HeadsCard> makeLinesTab();
/// A head's value vectors in the plane of their two main components, and a query's output among
/// them as their weighted mean.
std::unique_ptr<HeadsCard> makeValuesTab();
/// q·k of a query and a key as two arrows with their lengths and angle, and the same of every key,
/// to see whether a large score comes from length or from direction.
std::unique_ptr<HeadsCard> makeLengthsTab();

/// The queries of the item below each other, one of them chosen.
class QueryList {
 public:
  /// Gives the one clicked.
  std::optional<Index> draw(const Panel& panel, Index chosen, Rect room);

 private:
  Index shown_ = -1;  // brought into view last
};

}  // namespace headscope::ui
