// Mask picture: the (T, M) mask, enlarged: forbidden pairs hatched and tinted by the rule that
// forbids them, tokens along both axes, marks at queries without a key.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/matrix.h"
#include "core/attention/mask.h"
#include "core/document/fwd.h"

namespace headscope::ui {

struct PanelContext;

/// A document's mask for one batch item, with counts that are updated only when it changes.
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

/// Returns the pairs under a point (queries are the rows, keys the columns): one pair, or all that
/// share the point; for a point outside the matrix, the nearest.
CellBlock pairsAt(const MatrixPlace& place, ImVec2 point);

/// The layout of the largest matrix that fits into `room` with its labels; `width` is the width of
/// both.
struct MaskLayout {
  MatrixPlace place;
  float width = 0.0F;
  float below = 0.0F;  // the largest height of the keys' labels
};
MaskLayout layoutMask(const PanelContext& panel, const ShownMask& shown, const Rect& room);

/// Draws the mask. `lit` is the pair under the mouse, `cursor` the keyboard's.
void drawMask(const PanelContext& panel, const ShownMask& shown, const MaskLayout& layout,
              const std::optional<MatrixCell>& lit, const std::optional<MatrixCell>& cursor);

/// Returns the colour of a rule over the hatching.
ImU32 ruleTint(const Theme& theme, MaskRule rule);

}  // namespace headscope::ui
