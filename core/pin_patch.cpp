#include "core/pin_patch.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

auto pinKey(const Pin& pin) {
  const CellRef& c = pin.cell;
  return std::tuple(c.tensor, c.item, c.head, c.row, c.col,
                    std::bit_cast<std::uint32_t>(pin.value));
}

bool pinBefore(const Pin& a, const Pin& b) { return pinKey(a) < pinKey(b); }

std::vector<Pin> without(const std::vector<Pin>& pins, const std::vector<Pin>& taken) {
  std::vector<Pin> left;
  std::set_difference(pins.begin(), pins.end(), taken.begin(), taken.end(),
                      std::back_inserter(left), pinBefore);
  return left;
}

}  // namespace

PinPatch::PinPatch(const Pins& from, const Pins& to)
    : gone_(without(from.all(), to.all())), come_(without(to.all(), from.all())) {
  gone_.shrink_to_fit();
  come_.shrink_to_fit();
}

Pins PinPatch::cross(const Pins& pins) {
  if (gone_.empty() && come_.empty()) return pins;
  const std::vector<Pin> kept = without(pins.all(), gone_);
  std::vector<Pin> next(kept.size() + come_.size());
  std::merge(kept.begin(), kept.end(), come_.begin(), come_.end(), next.begin(), pinBefore);
  std::swap(gone_, come_);
  return Pins::from(std::move(next));
}

Index PinPatch::bytes() const {
  return static_cast<Index>((gone_.capacity() + come_.capacity()) * sizeof(Pin));
}

}  // namespace headscope
