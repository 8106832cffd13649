// Lesson pointer: shows which control does what an exercise asks. An arrow goes to it, and a ring
// marks it. The controls note their places (SoughtControl).
#pragma once

#include <optional>
#include <string>

#include "app/ui/frame_context.h"

namespace headscope::ui {

class LessonPointer {
 public:
  /// Sends the arrow from a place of the display to the control with this text.
  void go(const std::string& control, ImVec2 from, double now);
  /// Returns true once, when the arrow has arrived, or cannot: the control is not in sight.
  bool takeArrival(double now);
  /// Returns whether the arrow is on its way.
  bool goes() const { return goes_; }
  /// Marks the control with this text from now on; empty: none.
  void mark(const std::string& control);
  void stop();

  /// The control whose place the frame notes.
  SoughtControl& sought() { return sought_; }
  /// Draws over the panels, and forgets the place, which the next frame notes again.
  void draw(const FrameContext& look);

 private:
  SoughtControl sought_;
  std::string marked_;
  ImVec2 from_;
  bool goes_ = false;
  bool seen_ = false;            // the control was in sight since the arrow left
  std::optional<double> since_;  // the time at which the arrow left, then that of its arrival
};

}  // namespace headscope::ui
