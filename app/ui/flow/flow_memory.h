// Flow memory: the dimension flow as it is shown, on its way from the last dimensions to the new.
#pragma once

#include <optional>

#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {

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

}  // namespace headscope::ui
