// Effect check: what a head's term says of the output without it, against a real pass with the head
// off, run on a thread of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/background.h"
#include "app/ui/panel.h"
#include "core/execution.h"
#include "core/trace.h"

namespace headscope::ui {

struct CheckedEffect {
  Index head = 0;
  float gain = 0.0F;       // of the head in the real pass: 0, or 1 where it is off already
  double largest = 0.0;    // |output by the term − output of the real pass|
  double magnitude = 0.0;  // largest |output| of the real pass

  /// No further apart than rounding of sums explains.
  bool agrees() const;
};

/// Nothing where cancelled. Throws as a pass does.
std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const Execution& execution = {});

struct EffectCheckMemory {
  struct Subject {
    std::uint64_t pass = 0;
    Index item = -1, head = -1;
    bool operator==(const Subject&) const = default;
  };
  BackgroundTask<CheckedEffect> task;
  Subject asked;
  std::optional<CheckedEffect> checked;  // of what was asked
  std::string error;
};

/// Of the chosen head and item of the pass shown, in words: "checked against …", or that it is
/// being checked, or why it cannot be.
struct CheckWords {
  std::string text;
  bool bad = false;
};
CheckWords effectCheck(const Panel& panel, EffectCheckMemory& memory);

}  // namespace headscope::ui
