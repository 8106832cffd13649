// Flow panel: the dimension flow from X to the output. The current step is lit; a click opens a
// step.
#pragma once

#include <optional>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/frame_context.h"
#include "core/attention/config.h"

namespace headscope::ui {

struct PanelContext;

/// Returns the layout between two others, t from 0 to 1. Common parts move, new ones appear and
/// removed ones fade. Removed text vanishes at once, so that no text is printed over another.
FlowLayout blend(const FlowLayout& from, const FlowLayout& to, float t);

/// The dimension flow on the screen, which moves from the last dimensions to the new ones.
class FlowMemory {
 public:
  struct Wanted {
    const AttentionConfig& config;
    Index head;
    float width, height;
    bool animate;
    double now;
  };

  /// Returns the layout to draw now. A change of dimensions takes 250 ms; a new size applies at
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

/// Draws the flow at the cursor, in an area of `size`.
void flowPanel(const PanelContext& panel, FlowMemory& memory, ImVec2 size);

}  // namespace headscope::ui
