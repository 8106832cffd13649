// Token zoom: which part of the tokens is shown as a person zooms and pans, and in which blocks it
// is drawn. Pure: no drawing.
#pragma once

#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/pooled.h"

namespace headscope::ui {

/// Fewer are not shown, unless there are fewer.
inline constexpr Index kFewestShown = 4;

/// Inputs of more tokens are looked at by parts.
inline constexpr Index kShortInput = 64;

/// The part in numbers, of `n` tokens: never empty, never past them.
TokenRange shownOf(const TokenRange& range, Index n);
inline bool isWhole(const TokenRange& range, Index n) { return shownOf(range, n).count == n; }

/// `factor` times as many, the token at `about` (0 … 1 of what is shown) staying where it is.
TokenRange zoomed(const TokenRange& range, Index n, double factor, double about = 0.5);
TokenRange moved(const TokenRange& range, Index n, Index by);

/// Along one axis: the tokens that are pooled, `step` of them to a block.
struct AxisBlocks {
  Index first = 0, count = 0, step = 1;
  bool operator==(const AxisBlocks&) const = default;
};

/// Blocks no smaller than a pixel where `shown` has `pixels`. All tokens where they are few blocks;
/// else a part around what is shown that stays the same for some way of panning.
AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels);
CellBlocks cellBlocks(const AxisBlocks& rows, const AxisBlocks& cols);

}  // namespace headscope::ui
