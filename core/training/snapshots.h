// Snapshots: a run's parameters with Adam's moments at several steps; each can be inspected or
// resumed exactly. When the byte limit is exceeded, every second snapshot is dropped, and from then
// on half as many are taken. Marked snapshots are kept, even beyond the limit.
#pragma once

#include <span>
#include <vector>

#include "core/training/optimiser.h"

namespace headscope::training {

struct Snapshot {
  Index step = 0;      // the number of steps taken
  bool stays = false;  // never dropped
  /// By parameter: value, mean and square, the latter two empty before the first step.
  std::vector<Tensor> values, means, squares;

  Index bytes() const;
};

/// Copies a snapshot into the parameters of its model or of a model with equal settings.
void putInto(const Snapshot& snapshot, std::span<Parameter> parameters);

class Snapshots {
 public:
  explicit Snapshots(Index mostBytes) : mostBytes_(mostBytes) {}

  /// Keeps a copy where a snapshot is due or `stays` is set. Steps are in order, and after
  /// dropAfter continue from that step.
  void add(Index step, std::span<const Parameter> parameters, bool stays = false);
  /// Drops the snapshots of later steps.
  void dropAfter(Index step);

  /// All snapshots, in order; the first one is never dropped.
  const std::vector<Snapshot>& all() const { return all_; }
  /// The last snapshot at or before `step`; null where there is none.
  const Snapshot* atMost(Index step) const;
  Index every() const { return every_; }  // steps between snapshots
  Index bytes() const { return bytes_; }

 private:
  template <typename Wanted>
  void keep(Wanted wanted);

  Index mostBytes_;
  Index every_ = 1;
  Index bytes_ = 0;
  std::vector<Snapshot> all_;
};

}  // namespace headscope::training
