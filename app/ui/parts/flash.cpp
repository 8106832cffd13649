#include "app/ui/parts/flash.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <utility>

#include "app/ui/panel.h"
#include "core/analysis/head_metrics.h"
#include "core/analysis/trace_difference.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kStrongest = 0.7F;     // the opacity of the largest change at first
constexpr float kFaintest = 0.04F;     // a fainter flash is not drawn
constexpr float kSmallestPart = 6.0F;  // points along a side

}  // namespace

FlashGrid flashGrid(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                    Index cols) {
  const CellRows changes{
      ref.rows, ref.cols, [&](Index r, std::span<float> cells) {
        std::vector<float> then(cells.size());
        const Index row = ref.row0 + r;
        before.tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols, then.data());
        after.tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols, cells.data());
        std::transform(then.begin(), then.end(), cells.begin(), cells.begin(),
                       [](float a, float b) { return std::abs(difference(a, b)); });
      }};
  FlashGrid grid{rows, cols, std::vector<float>(static_cast<std::size_t>(rows * cols))};
  reduceAsShown(changes, ref.transposed, static_cast<int>(rows), static_cast<int>(cols),
                Reduction::largest, grid.shares.data());
  float most = 0.0F;
  for (const float change : grid.shares) {
    if (std::isfinite(change)) most = std::max(most, change);
  }
  if (most == 0.0F) most = 1.0F;  // no change is finite
  const bool some =
      std::any_of(grid.shares.begin(), grid.shares.end(), [](float c) { return c > 0.0F; });
  if (!some) return {rows, cols, {}};
  for (float& change : grid.shares) change = std::isfinite(change) ? change / most : 1.0F;
  return grid;
}

const FlashGrid& FlashParts::of(const Trace& before, const Trace& after, const MatrixRef& ref,
                                Index rows, Index cols) {
  const Key key{ref.place().value(), rows * ref.shownCols() + cols};
  const auto [at, isNew] = grids_.try_emplace(key);
  const Index cells = ref.rows * ref.cols;
  if (isNew && cells > atOnce_) {
    wanted_.push_back({key, ref, rows, cols});
  } else if (isNew) {
    atOnce_ -= cells;
    at->second = flashGrid(before, after, ref, rows, cols);
  }
  return at->second;
}

void Flash::start(TracePtr before, TracePtr after) {
  before_ = std::move(before);
  after_ = std::move(after);
  since_.reset();
  parts_ = {};
  wanted_.clear();
}

Computed<Flash::MetricValue> Flash::ask(Computations& computations) const {
  return computations.request<MetricValue>(
      "flash", Fingerprint("flash", measurement_), Schedule::background, [this] {
        return [before = before_, after = after_, wanted = wanted_](
                   const std::atomic<bool>& cancelled) -> std::optional<MetricValue> {
          MetricValue grids;
          for (const auto& [key, ref, rows, cols] : wanted) {
            if (cancelled) return std::nullopt;
            grids.emplace_back(key, flashGrid(*before, *after, ref, rows, cols));
          }
          return grids;
        };
      });
}

FlashState Flash::at(double now, Computations& computations, bool* wantsFrame) {
  if (before_ == nullptr) return {};
  if (!wanted_.empty()) {
    const auto measured = ask(computations);
    if (measured.current != nullptr || !measured.problem.empty()) {
      if (!since_) since_ = now;
      wanted_.clear();
    }
    if (measured.current != nullptr) {
      for (const auto& [key, grid] : *measured.current) parts_.put(key, grid);
    }
  }
  const auto faded = since_ ? static_cast<float>((now - *since_) / kFlashSeconds) : 0.0F;
  if (faded >= 1.0F) {
    start(nullptr, nullptr);
    return {};
  }
  *wantsFrame = true;
  return {before_.get(), 1.0F - faded, &parts_};
}

void Flash::measure(double now, Computations& computations) {
  if (before_ == nullptr || !wanted_.empty()) return;
  wanted_ = parts_.takeWanted();
  if (wanted_.empty()) {
    if (!since_) since_ = now;
    return;
  }
  ++measurement_;
  ask(computations);
}

void drawFlash(const PanelContext& panel, const MatrixRef& ref, const Rect& at) {
  const Trace* before = panel.flash.before;
  if (before == nullptr || ref.maskOnly || !comparable(*before, panel.trace, ref.tensor) ||
      before->revision(ref.tensor) == panel.trace.revision(ref.tensor)) {
    return;
  }
  const float smallest = panel.look.px(kSmallestPart);
  const auto partsOf = [smallest](float length, Index cells) {
    return std::clamp<Index>(static_cast<Index>(length / smallest), 1, cells);
  };
  const FlashGrid& grid =
      panel.flash.parts->of(*before, panel.trace, ref, partsOf(at.height(), ref.shownRows()),
                            partsOf(at.width(), ref.shownCols()));
  if (grid.shares.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const MatrixPlace place{at, grid.rows, grid.cols};
  for (Index r = 0; r < grid.rows; ++r) {
    for (Index c = 0; c < grid.cols; ++c) {
      const float share = grid.shares[static_cast<std::size_t>(r * grid.cols + c)];
      const float alpha = share * panel.flash.strength * kStrongest;
      if (alpha < kFaintest) continue;
      const Rect part = place.cellAt(r, c);
      list->AddRectFilled(part.a, part.b, withAlpha(panel.look.theme.flash, alpha));
    }
  }
}

}  // namespace headscope::ui
