// Flash: cells that an edit changed light up for a moment, the more the larger their change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

inline constexpr double kFlashSeconds = 0.6;

/// The changes of each matrix lit, kept while it lights up: a matrix is read once, not every frame.
class FlashParts {
 public:
  struct Grid {
    Index rows = 0, cols = 0;
    std::vector<float> shares;  // of the largest change, 0 … 1; empty: nothing changed
  };
  /// The changes of a matrix in rows × cols parts, each the largest of its cells'.
  const Grid& of(const Trace& before, const Trace& after, const MatrixRef& ref, Index rows,
                 Index cols);

 private:
  std::map<std::pair<std::uint64_t, Index>, Grid> known_;
};

/// Keeps the pass before the newest edit until what it changed has faded.
class Flash {
 public:
  /// From the next frame on; one that is under way starts anew.
  void start(TracePtr before);
  /// This frame's; asks to be drawn again until it has faded.
  FlashState at(double now, bool* wantsFrame);

 private:
  TracePtr before_;
  std::optional<double> since_;
  FlashParts parts_;
};

/// Lays the flash over a matrix drawn in [a, b); nothing where it did not change. Cells smaller
/// than a few points light up together, by the largest change among them.
void drawFlash(const Panel& panel, const MatrixRef& ref, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
