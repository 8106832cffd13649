// Looks lengths: one query's q·k with every key as lengths and angles, in an order, and two of them
// as arrows. Pure: no drawing.
#pragma once

#include <vector>

#include "core/analysis/value_plane.h"

namespace headscope::ui {

/// What keys are sorted by.
enum class KeyColumn { key, length, angle, product };

struct KeyProducts {
  std::vector<QueryKeyProduct> of;  // by key

  /// Keys in the order of a column: lengths and products largest first, angles smallest first,
  /// those without an angle last.
  std::vector<Index> order(KeyColumn by) const;
  /// The place, from 1, of a key in such an order; equals share the first of their places.
  Index rank(KeyColumn by, Index key) const;
};

KeyProducts keyProducts(const Trace& trace, const RowRef& row);

/// Two arrows from one origin in the plane they span, y down, to one scale: q to the right.
struct Arrows {
  double originX = 0, originY = 0;
  double queryX = 0, queryY = 0;  // their tips
  double keyX = 0, keyY = 0;
  double scale = 0;  // units of the picture per unit of length
};
/// As large as a box of this width and height holds them.
Arrows arrowsIn(const QueryKeyProduct& product, double width, double height);

}  // namespace headscope::ui
