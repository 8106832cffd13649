// Pins: computed cells that the user has set to a value. All later steps use that value.
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

/// The tensors whose cells can be pinned: raw_scores, scores, weights, heads and gate.
bool canBePinned(TensorId tensor);

/// At most one pin per cell, in the order of tensor, item, head, row, column.
class Pins {
 public:
  bool empty() const { return pins_.empty(); }
  const std::vector<Pin>& all() const { return pins_; }

  std::optional<float> at(const CellRef& cell) const;
  /// The pins of a tensor, of one of its matrices, or of one row.
  std::span<const Pin> of(TensorId tensor) const;
  std::span<const Pin> of(TensorId tensor, Index item, Index head) const;
  std::span<const Pin> of(TensorId tensor, Index item, Index head, Index row) const;

  /// Where several pins name one cell, the last one applies.
  static Pins from(std::vector<Pin> pins);
  Pins with(const Pin& pin) const;
  Pins without(const CellRef& cell) const;
  /// The pins whose cells exist in a configuration.
  Pins fitting(const AttentionConfig& config) const;

  bool operator==(const Pins&) const = default;

 private:
  std::vector<Pin> pins_;
};

/// Overwrites the pinned cells of a box of a tensor with their values; `cells` are the box.
void applyPins(const Pins& pins, TensorId tensor, const Box& box, const MatrixView& cells);

/// "raw_scores[0, 5, 2, 1] = 30"
std::string toString(const Pin& pin);

}  // namespace headscope
