// Explanations: the arithmetic of the cells looked at last, worked out once for all panels that
// show it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::ui {

class Explanations {
 public:
  /// Of a result's cell. Stands until two other cells were asked for.
  const Explanation& of(const Trace& trace, const CellRef& cell);

 private:
  struct Entry {
    std::uint64_t pass = 0;
    Explanation explanation;
  };
  std::array<std::optional<Entry>, 2> entries_;  // the one asked for last comes first
};

}  // namespace headscope::ui
