#include "core/attention/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace headscope {
namespace {

auto place(const CellRef& c) { return std::tuple(c.tensor, c.item, c.head, c.row, c.col); }

bool pinStandsBefore(const Pin& pin, const CellRef& cell) { return place(pin.cell) < place(cell); }

/// The pins whose keys, taken from their cells by a function, equal a given key.
template <typename Key, typename KeyOf>
std::span<const Pin> matching(const std::vector<Pin>& pins, const Key& key, KeyOf keyOf) {
  const auto from = std::lower_bound(pins.begin(), pins.end(), key,
                                     [&](const Pin& p, const Key& k) { return keyOf(p.cell) < k; });
  const auto to = std::upper_bound(from, pins.end(), key,
                                   [&](const Key& k, const Pin& p) { return k < keyOf(p.cell); });
  return {from, to};
}

}  // namespace

bool canBePinned(TensorId tensor) {
  return tensor == TensorId::rawScores || tensor == TensorId::scores ||
         tensor == TensorId::weights || tensor == TensorId::heads || tensor == TensorId::gate;
}

std::optional<float> Pins::at(const CellRef& cell) const {
  const auto found = std::lower_bound(pins_.begin(), pins_.end(), cell, pinStandsBefore);
  if (found == pins_.end() || found->cell != cell) return std::nullopt;
  return found->value;
}

std::span<const Pin> Pins::of(TensorId tensor) const {
  return matching(pins_, tensor, [](const CellRef& c) { return c.tensor; });
}

std::span<const Pin> Pins::of(TensorId tensor, Index item, Index head) const {
  return matching(pins_, std::tuple(tensor, item, head),
                  [](const CellRef& c) { return std::tuple(c.tensor, c.item, c.head); });
}

std::span<const Pin> Pins::of(TensorId tensor, Index item, Index head, Index row) const {
  return matching(pins_, std::tuple(tensor, item, head, row),
                  [](const CellRef& c) { return std::tuple(c.tensor, c.item, c.head, c.row); });
}

Pins Pins::from(std::vector<Pin> pins) {
  Pins made;
  const auto inOrder = [](const Pin& a, const Pin& b) { return pinStandsBefore(a, b.cell); };
  if (!std::is_sorted(pins.begin(), pins.end(), inOrder)) {
    std::stable_sort(pins.begin(), pins.end(), inOrder);
  }
  for (const Pin& pin : pins) {
    if (!made.pins_.empty() && made.pins_.back().cell == pin.cell) made.pins_.pop_back();
    made.pins_.push_back(pin);
  }
  return made;
}

Pins Pins::with(const Pin& pin) const {
  Pins next = *this;
  const auto at = std::lower_bound(next.pins_.begin(), next.pins_.end(), pin.cell, pinStandsBefore);
  if (at != next.pins_.end() && at->cell == pin.cell) {
    at->value = pin.value;
  } else {
    next.pins_.insert(at, pin);
  }
  return next;
}

Pins Pins::without(const CellRef& cell) const {
  Pins next = *this;
  std::erase_if(next.pins_, [&](const Pin& pin) { return pin.cell == cell; });
  return next;
}

Pins Pins::fitting(const AttentionConfig& config) const {
  Pins next = *this;
  std::erase_if(next.pins_, [&](const Pin& pin) { return !exists(pin.cell, config); });
  return next;
}

void applyPins(const Pins& pins, TensorId tensor, const Box& box, const MatrixView& cells) {
  for (const Pin& pin : pins.of(tensor, box.item, box.head)) {
    const Index row = pin.cell.row - box.row;
    const Index col = pin.cell.col - box.col;
    if (row < 0 || row >= box.rows || col < 0 || col >= box.cols) continue;
    cells(row, col) = pin.value;
  }
}

std::string toString(const Pin& pin) {
  return fmt::format("{} = {:g}", toString(pin.cell), pin.value);
}

}  // namespace headscope
