// Chosen lines: which weights of a pass are drawn as lines between tokens: of each row the largest
// that make up a share of it (accumulated_mass.h). Pure: no drawing.
#pragma once

#include <atomic>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "core/trace.h"

namespace headscope::ui {

struct Line {
  Index head = 0, query = 0, key = 0;
  float weight = 0.0F;

  bool operator==(const Line&) const = default;
};

struct LineQuestion {
  Index item = 0;
  std::vector<Index> heads;
  TokenRange queries;  // the rows looked at; count 0: none
  Index key = -1;      // only lines to this key
  double mass = 0.9;
  Index most = 0;  // lines that are kept: the strongest
};

struct LineChoice {
  std::vector<Line> lines;  // weakest first, so that the strongest are drawn on top
  Index chosen = 0;         // that make up the mass, kept or not
  Index weights = 0;        // other than 0, in the rows (and of the key) looked at
  Index emptyRows = 0;      // without any weight
};

/// Nothing (no lines) where cancelled.
LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled);

/// How many weights a question looks at.
Index workOf(const LineQuestion& question, const AttentionConfig& config);

}  // namespace headscope::ui
