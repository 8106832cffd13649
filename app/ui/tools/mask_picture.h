// Mask picture: the (T, M) mask large: forbidden pairs hatched and tinted by the rule that forbids
// them, tokens along both axes, queries without a key marked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/panel.h"
#include "core/mask_patterns.h"

namespace headscope::ui {

/// A query and a key.
struct Pair {
  Index query = 0;
  Index key = 0;

  bool operator==(const Pair&) const = default;
};

/// A document's mask for one item, and what is counted in it anew only when it changes.
class ShownMask {
 public:
  void update(const Document& document, Index item);

  const Mask& mask() const { return mask_; }
  Index item() const { return item_; }
  Index queries() const { return queries_; }
  Index keys() const { return keys_; }
  std::uint64_t revision() const { return revision_; }
  const std::vector<Index>& fullyMasked() const { return fullyMasked_; }
  Index allowedPairs() const { return allowedPairs_; }

 private:
  Mask mask_;
  Index item_ = -1, queries_ = 0, keys_ = 0;
  bool zeroForMasked_ = false;
  std::uint64_t revision_ = 0;
  std::vector<Index> fullyMasked_;
  Index allowedPairs_ = 0;
};

/// Where the matrix stands on the screen.
struct MaskPlace {
  ImVec2 a, b;
  Index queries = 1, keys = 1;

  ImVec2 cell() const;
  /// The pairs under a point: one, or all that share it; outside the matrix the nearest.
  PairBlock pairsAt(ImVec2 point) const;
};

/// The largest matrix that fits into `room` with its labels; `width` is what it takes in all.
struct MaskLayout {
  MaskPlace place;
  float width = 0.0F;
};
MaskLayout layoutMask(const Panel& panel, const ShownMask& shown, ImVec2 at, ImVec2 room);

/// `lit` is the pair under the mouse, `cursor` the keyboard's.
void drawMask(const Panel& panel, const ShownMask& shown, const MaskPlace& place,
              std::optional<Pair> lit, std::optional<Pair> cursor);

/// A rule's colour over the hatching.
ImU32 ruleTint(const Theme& theme, MaskRule rule);

}  // namespace headscope::ui
