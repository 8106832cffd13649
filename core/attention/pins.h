// Pins: computed cells that were given a value of the user's own; every later step uses it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/tensor_id.h"

namespace headscope {

struct Pin {
  CellRef cell;
  float value = 0.0F;

  bool operator==(const Pin&) const = default;
};

/// The tensors whose cells can be pinned: raw_scores, scores, weights and heads.
bool canBePinned(TensorId tensor);

/// At most one pin per cell, in the order of tensor, item, head, row, column.
class Pins {
 public:
  bool empty() const { return pins_.empty(); }
  const std::vector<Pin>& all() const { return pins_; }

  std::optional<float> at(const CellRef& cell) const;
  /// Those of one matrix, or of one row of it.
  std::span<const Pin> of(TensorId tensor) const;
  std::span<const Pin> of(TensorId tensor, Index item, Index head) const;
  std::span<const Pin> of(TensorId tensor, Index item, Index head, Index row) const;

  /// Of several pins of one cell the last holds.
  static Pins from(std::vector<Pin> pins);
  Pins with(const Pin& pin) const;
  Pins without(const CellRef& cell) const;
  /// Those whose cells a configuration has.
  Pins fitting(const AttentionConfig& config) const;

  bool operator==(const Pins&) const = default;

 private:
  std::vector<Pin> pins_;
};

/// Writes the pinned cells of a box of a tensor over what was computed; `cells` are the box.
void applyPins(const Pins& pins, TensorId tensor, const Box& box, const MatrixView& cells);

/// "raw_scores[0, 5, 2, 1] = 30"
std::string toString(const Pin& pin);

}  // namespace headscope
