// Flash: cells that an edit changed light up for a moment, the more the larger their change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

inline constexpr double kFlashSeconds = 0.6;

/// The changes of a matrix in rows × cols parts, each the largest of its cells'.
struct FlashGrid {
  Index rows = 0, cols = 0;
  std::vector<float> shares;  // of the largest change, 0 … 1; empty: nothing changed
};
FlashGrid flashGrid(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                    Index cols);

/// The changes of each matrix lit, kept while it lights up.
class FlashParts {
 public:
  using Key = std::pair<std::uint64_t, Index>;
  struct Wanted {
    Key key;
    MatrixRef ref;
    Index rows, cols;
  };

  /// Small ones are measured at once, so that they light up as fast as a number is dragged; a large
  /// one is empty, and wanted, until it is measured.
  const FlashGrid& of(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                      Index cols);
  std::vector<Wanted> takeWanted() { return std::exchange(wanted_, {}); }
  void put(const Key& key, FlashGrid grid) { grids_[key] = std::move(grid); }

 private:
  std::map<Key, FlashGrid> grids_;
  std::vector<Wanted> wanted_;
  Index atOnce_ = Index{1} << 18;  // cells that may still be: 1 to 2 ms
};

/// Keeps the pass before the newest edit until what it changed has faded. What takes long to
/// measure is measured beside the frames, and lights up once it is known.
class Flash {
 public:
  /// From the next frame on; one that is under way starts anew.
  void start(TracePtr before, TracePtr after);
  /// This frame's; asks to be drawn again until it has faded.
  FlashState at(double now, Computations& computations, bool* wantsFrame);
  /// After a frame is drawn: has what it wanted measured.
  void measure(double now, Computations& computations);

 private:
  using MetricValue = std::vector<std::pair<FlashParts::Key, FlashGrid>>;
  Computed<MetricValue> ask(Computations& computations) const;

  TracePtr before_, after_;
  std::optional<double> since_;  // lit
  FlashParts parts_;
  std::vector<FlashParts::Wanted> wanted_;  // what is being measured
  std::uint64_t measurement_ = 0;           // its number
};

/// Lays the flash over a matrix drawn there; nothing where it did not change. Cells smaller than a
/// few points light up together, by the largest change among them.
void drawFlash(const PanelContext& panel, const MatrixRef& ref, const Rect& at);
inline void drawFlash(const PanelContext& panel, const MatrixRef& ref, ImVec2 a, ImVec2 b) {
  drawFlash(panel, ref, Rect{a, b});
}

}  // namespace headscope::ui
