// Flow panel: the dimension flow from X to the output; the current step is lit, a click opens one.
#pragma once

#include <optional>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Between two layouts, t from 0 to 1: what both have moves, what is new appears, what is gone
/// fades. Text that is gone goes at once, so that none is ever printed over another.
FlowLayout blend(const FlowLayout& from, const FlowLayout& to, float t);

/// The dimension flow as it is on the screen, on its way from the last dimensions to the new.
class FlowMemory {
 public:
  struct Wanted {
    const AttentionConfig& config;
    Index head;
    float width, height;
    bool animate;
    double now;
  };

  /// The layout to draw now. New dimensions are approached over 250 ms; a new size is taken at
  /// once.
  const FlowLayout& update(const Wanted& wanted, const FlowMetrics& metrics);

  bool moving() const { return moving_; }

 private:
  std::optional<AttentionConfig> config_;
  Index head_ = 0;
  float width_ = 0, height_ = 0, scale_ = 0;
  FlowLayout from_, to_, shown_;
  double since_ = 0;
  bool moving_ = false;
};

/// The picture at the cursor, `size` in all.
void flowPanel(const PanelContext& panel, FlowMemory& memory, ImVec2 size);

}  // namespace headscope::ui
