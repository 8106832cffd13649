// PinPatch: the pins in which one document differs from another.
#pragma once

#include <vector>

#include "core/pins.h"

namespace headscope {

class PinPatch {
 public:
  PinPatch() = default;
  /// What turns `from` into `to`, bit for bit (−0 is not 0).
  PinPatch(const Pins& from, const Pins& to);

  /// The pins it leads to from those it starts at; it is the way back then.
  Pins cross(const Pins& pins);

  Index bytes() const;

 private:
  std::vector<Pin> gone_, come_;  // in the order of Pins
};

}  // namespace headscope
