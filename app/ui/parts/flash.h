// Flash: cells that an edit changed light up for a moment, the brighter the larger their change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

struct PanelContext;

inline constexpr double kFlashSeconds = 0.6;

/// The changes of a matrix in rows × cols blocks: the largest change in each block.
struct FlashGrid {
  Index rows = 0, cols = 0;
  std::vector<float> shares;  // 0 … 1, as shares of the largest change; empty: nothing changed
};
FlashGrid flashGrid(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                    Index cols);

/// The changes of each matrix, kept while it lights up.
class FlashParts {
 public:
  using Key = std::pair<std::uint64_t, Index>;
  struct Wanted {
    Key key;
    MatrixRef ref;
    Index rows, cols;
  };

  /// Returns the changes of a matrix. A small matrix is measured at once, so that it lights up as
  /// fast as a number is dragged. A large one is listed as wanted, and empty until it is measured.
  const FlashGrid& of(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                      Index cols);
  std::vector<Wanted> takeWanted() { return std::exchange(wanted_, {}); }
  void put(const Key& key, FlashGrid grid) { grids_[key] = std::move(grid); }

 private:
  std::map<Key, FlashGrid> grids_;
  std::vector<Wanted> wanted_;
  Index atOnce_ = Index{1} << 18;  // cells that may still be measured at once: 1 to 2 ms
};

/// Keeps the pass before the newest edit until the flash has faded. Large changes are measured in
/// the background and light up once they are known.
class Flash {
 public:
  /// Starts a flash in the next frame; replaces one in progress.
  void start(TracePtr before, TracePtr after);
  /// Returns the flash of this frame. Sets `wantsFrame` until it has faded.
  FlashState at(double now, Computations& computations, bool* wantsFrame);
  /// Measures what the frame wanted. Call it after a frame is drawn.
  void measure(double now, Computations& computations);

 private:
  using MetricValue = std::vector<std::pair<FlashParts::Key, FlashGrid>>;
  Computed<MetricValue> ask(Computations& computations) const;

  TracePtr before_, after_;
  std::optional<double> since_;  // the time at which it lit up; none: not lit
  FlashParts parts_;
  std::vector<FlashParts::Wanted> wanted_;  // the changes that are being measured
  std::uint64_t measurement_ = 0;           // the number of the measurement
};

/// Draws the flash over a matrix, where it changed. Cells smaller than a few points light up
/// together, by the largest change among them.
void drawFlash(const PanelContext& panel, const MatrixRef& ref, const Rect& at);
inline void drawFlash(const PanelContext& panel, const MatrixRef& ref, ImVec2 a, ImVec2 b) {
  drawFlash(panel, ref, Rect{a, b});
}

}  // namespace headscope::ui
