// Moments: the steps of a pass as a timeline, for one query of one head: number by number, then row
// by row, then all rows, then all heads. Depends only on the configuration, not on computed values.
#pragma once

#include <vector>

#include "core/attention/places.h"
#include "core/attention/steps/step_id.h"
#include "core/attention/tensor_id.h"
#include "core/document/trace.h"

namespace headscope {

/// The content of a segment: one thing by itself, or the rest of its kind in one sweep.
enum class SegmentKind {
  cell,          // one number of the query's row
  restOfCells,   //
  likewise,      // K or V, which come about as Q does
  maximum,       // of the row, for softmax
  exponentials,  //
  sum,           // … of the exponentials
  key,           // one key's value, weighed
  restOfKeys,    //
  mixture,       // the values weighed and added: the query's row at once
  head,          // one head's columns
  restOfHeads,   //
  total,         // what all heads and the bias add up to: the query's row at once
  row,           // another query's row
  restOfRows,    //
  allHeads,      // the same in every head
};

struct TimelineSegment {
  StepId step = StepId::project;
  SegmentKind beat = SegmentKind::cell;
  TensorId part = TensorId::q;       // q, k or v, as shown by `project` and `split`
  Index from = 0, to = 1;            // the range of its things, [from, to)
  double start = 0.0, length = 0.0;  // seconds at speed 1

  double end() const { return start + length; }
  bool operator==(const TimelineSegment&) const = default;
};

/// Returns whether the picture changes continuously during the moment.
bool isSweep(SegmentKind beat);

/// Index of the n-th row, skipping the query's.
inline Index otherRow(Index query, Index n) { return n < query ? n : n + 1; }

/// Never empty; covers every step, in order, without a gap.
class Timeline {
 public:
  Timeline() = default;
  /// `subject` is the row that the timeline explains.
  Timeline(const AttentionConfig& config, const RowRef& subject);

  const std::vector<TimelineSegment>& moments() const& { return moments_; }
  double length() const { return moments_.empty() ? 0.0 : moments_.back().end(); }
  /// The moment at a time; before the start the first, past the end the last.
  std::size_t at(double time) const;
  double stepStart(StepId step) const;
  double stepEnd(StepId step) const;
  const std::vector<StepId>& steps() const { return steps_; }
  /// The step `places` after it (negative: before it), within the timeline.
  StepId neighbouringStep(StepId step, int places) const;

  /// The time here that corresponds to a time of another timeline: the same share of its step.
  double translate(const Timeline& other, double time) const;

  bool operator==(const Timeline&) const = default;

 private:
  std::vector<TimelineSegment> moments_;
  std::vector<StepId> steps_;  // in order
};

}  // namespace headscope
