// Snapshots: a run's parameters with Adam's moments at several steps; each can be inspected or
// resumed exactly. When the byte limit is reached, every second snapshot is dropped, and from there
// on half as many are taken. Named snapshots stay, even beyond the limit.
#pragma once

#include <span>
#include <vector>

#include "core/training/optimiser.h"

namespace headscope::training {

struct Snapshot {
  Index step = 0;      // how many had been taken
  bool stays = false;  // however full it gets
  /// By parameter: value, mean and square, the latter two empty before the first step.
  std::vector<Tensor> values, means, squares;

  Index bytes() const;
};

/// Writes a snapshot over the parameters it was taken of, or those of a model of the same settings.
void putInto(const Snapshot& snapshot, std::span<Parameter> parameters);

class Snapshots {
 public:
  explicit Snapshots(Index mostBytes) : mostBytes_(mostBytes) {}

  /// Keeps a copy where a snapshot is due, or `stays`; steps come in order, and again from where
  /// they went back.
  void add(Index step, std::span<const Parameter> parameters, bool stays = false);
  /// Forgets those of later steps.
  void dropAfter(Index step);

  /// In order; the first step's stays, too.
  const std::vector<Snapshot>& all() const { return all_; }
  /// The last one of no later step; null where there is none.
  const Snapshot* atMost(Index step) const;
  Index every() const { return every_; }  // so many steps apart
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
