// Measured shapes: what the model of shapes that ships did on pictures that it had not seen, as the
// command that trained it reported. Lessons quote it.
#pragma once

#include <vector>

#include "core/attention/places.h"

namespace headscope::images {

struct MeasuredShapes {
  struct Head {
    HeadOfLayer head;
    double onShape = 0.0;       // ShapeAnswers::onShape
    double rightWithout = 0.0;  // the share of right answers without the head
  };

  double right = 0.0;
  double touched = 0.0;  // touchedShare
  std::vector<Head> heads;
};

const MeasuredShapes& measuredShapes();

}  // namespace headscope::images
