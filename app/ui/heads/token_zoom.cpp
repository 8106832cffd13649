#include "app/ui/heads/token_zoom.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr Index kFewBlocks = 384;  // as many are drawn whole
constexpr Index kChunk = 32;       // blocks; parts of more begin and end at a multiple
constexpr float kMostBlocks = 1600.0F;

TokenRange part(Index first, Index count, Index n) {
  if (count >= n) return {};
  return {std::clamp<Index>(first, 0, n - count), count};
}

}  // namespace

TokenRange shownOf(const TokenRange& range, Index n) {
  if (range.count <= 0 || range.count >= n) return {0, n};
  return {std::clamp<Index>(range.first, 0, n - range.count), range.count};
}

TokenRange zoomed(const TokenRange& range, Index n, double factor, double about) {
  const TokenRange now = shownOf(range, n);
  auto count = static_cast<Index>(std::llround(static_cast<double>(now.count) * factor));
  // a small step is one token at least
  if (count == now.count && factor < 1.0) --count;
  if (count == now.count && factor > 1.0) ++count;
  count = std::clamp(count, std::min(kFewestShown, n), n);
  const double stays = static_cast<double>(now.first) + about * static_cast<double>(now.count);
  return part(static_cast<Index>(std::llround(stays - about * static_cast<double>(count))), count,
              n);
}

TokenRange moved(const TokenRange& range, Index n, Index by) {
  const TokenRange now = shownOf(range, n);
  return part(now.first + by, now.count, n);
}

AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels) {
  const auto most = static_cast<Index>(std::clamp(pixels, 1.0F, kMostBlocks));
  const Index step = (shown.count + most - 1) / most;
  if ((n + step - 1) / step <= kFewBlocks) return {0, n, step};
  const Index chunk = kChunk * step;
  const Index first = std::max<Index>(0, (shown.first / chunk - 1) * chunk);
  const Index end = std::min(n, ((shown.first + shown.count + chunk - 1) / chunk + 1) * chunk);
  return {first, end - first, step};
}

CellBlocks cellBlocks(const AxisBlocks& rows, const AxisBlocks& cols) {
  return {rows.first, rows.count, cols.first, cols.count, rows.step, cols.step};
}

}  // namespace headscope::ui
