// StepId: the steps of a pass by name, and the record of one step's run. What a step does is in
// step.h.
#pragma once

#include <cstddef>

namespace headscope {

/// In the order of a pass. Nine are always present; `normalize`, `rotate` and `gate` are optional.
enum class StepId {
  project,
  split,
  normalize,
  rotate,
  score,
  scale,
  mask,
  softmax,
  weigh,
  gate,
  concat,
  output,
};
inline constexpr std::size_t kEveryStepCount = static_cast<std::size_t>(StepId::output) + 1;

/// The run of one step in a pass.
struct StepRun {
  StepId step;
  bool ran = false;  // false: its operands are unchanged and its previous result is kept
  double ms = 0.0;
};

}  // namespace headscope
