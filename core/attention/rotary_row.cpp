#include "core/attention/rotary_row.h"

namespace headscope {

RotaryRow::RotaryRow(const std::vector<double>& frequencies, Index position, double direction) {
  for (const double frequency : frequencies) {
    const Turn turn = rotationAt(frequency, position);
    cosine_.push_back(static_cast<float>(turn.cosine));
    sine_.push_back(static_cast<float>(direction * turn.sine));
  }
}

void RotaryRow::apply(const float* x, float* y) const {
  const std::size_t half = cosine_.size();
  for (std::size_t j = 0; j < half; ++j) {
    y[j] = x[j] * cosine_[j] - x[j + half] * sine_[j];
    y[j + half] = x[j + half] * cosine_[j] + x[j] * sine_[j];
  }
}

}  // namespace headscope
