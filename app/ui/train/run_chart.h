// Run chart: a chart over the steps of a run. Its charts share the shown step, which can be dragged
// along any of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/parts/chart.h"
#include "core/base/index.h"

namespace headscope::ui {

/// The steps of a run: all of them, those taken, and the shown one.
struct RunSteps {
  Index all = 0, taken = 0, shown = 0;
};

/// A step at which something was found.
struct RunMark {
  Index step = 0;
  ImU32 color = 0;
  std::string name;
};

class RunChart {
 public:
  /// Draws the title, with the keys unless the curves are named elsewhere, and the axes.
  RunChart(const FrameContext& look, Rect room, const RunSteps& steps, const std::string& title,
           std::vector<ChartKey> keys, const ChartAxis& y, bool showsKeys = true);

  /// Draws the curve of a key.
  void curve(std::size_t key, std::vector<ChartPoint> points);
  /// Draws a horizontal line over the whole plot.
  void level(double y) const;
  /// Writes the name of each curve at its end, so that one can distinguish curves of one colour.
  void endNames() const;
  /// Writes the names of the marks, each next to its line.
  void markNames(const std::vector<RunMark>& marks) const;
  /// Draws the lines of the marks and the shown step, and handles the mouse. `words` returns the
  /// tooltip of a step; empty: none. Returns the step under the mouse while it is dragged.
  std::optional<Index> finish(const char* id, const std::vector<RunMark>& marks,
                              const std::function<std::string(Index step)>& words) const;

 private:
  static ChartFrame frameOf(const FrameContext& look, Rect room, const RunSteps& steps,
                            const std::string& title, const std::vector<ChartKey>& shownKeys,
                            const ChartAxis& y);

  const FrameContext& look_;
  RunSteps steps_;
  std::vector<ChartKey> keys_;
  Chart chart_;
  std::vector<std::vector<ChartPoint>> curves_;  // by key
  ImDrawList* list_;
};

}  // namespace headscope::ui
